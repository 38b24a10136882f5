import { type ReactNode, useEffect, useState } from 'react';

const TOKEN = 'flaggraph-token';

/** Kept in the session storage of the tab, and nowhere else. */
export const useToken = () => {
  const [token, setToken] = useState(() => sessionStorage.getItem(TOKEN) ?? '');
  useEffect(() => sessionStorage.setItem(TOKEN, token), [token]);
  return [token, setToken] as const;
};

export type View = { hash: string; title: string; content: ReactNode };

const useHash = () => {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return hash;
};

type PageProps = {
  title: string;
  token: string;
  onToken: (token: string) => void;
  views: readonly View[];
};

/** The layout of both pages: a token field, and the four views as tabs. */
export const Page = ({ title, token, onToken, views }: PageProps) => {
  const hash = useHash();
  const open = views.find((view) => view.hash === hash) ?? views[0];
  return (
    <main>
      <h1>{title}</h1>
      <form action={(form) => onToken(String(form.get('token')).trim())}>
        <label>
          Token
          <input name="token" type="password" autoComplete="off" defaultValue={token} />
        </label>
        <button type="submit">Use it</button>
      </form>
      {token === '' ? (
        <p>
          Give a token first. <code>npm start</code> prints one for the demo world.
        </p>
      ) : (
        <>
          <nav>
            {views.map((view) => (
              <a key={view.hash} href={view.hash} aria-current={view === open ? 'page' : undefined}>
                {view.title}
              </a>
            ))}
          </nav>
          <h2>{open?.title}</h2>
          {open?.content}
        </>
      )}
    </main>
  );
};

export const Problem = ({ message }: { message: string | undefined }) =>
  message === undefined ? null : <p role="alert">{message}</p>;

export const Loading = ({ isOn }: { isOn: boolean }) =>
  isOn ? <p role="status">Loading …</p> : null;
