import { grantLines, verdictWords } from './verdict-words.js';

/** @import { Session } from './session.js' */
/** @import { Verdict } from './who-am-i.js' */

/**
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
const element = (id, kind) => {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page lacks #${id}.`);
  return found;
};

/**
 * Lets a person give a token, and says whose it is and what to do next.
 * @param {Session} session
 * @param {{ openIntrospection: boolean, startPage: string, demoToken: string | null }} settings
 */
export const startTokenBox = (session, { openIntrospection, startPage, demoToken }) => {
  const form = element('token-form', HTMLFormElement);
  const input = element('token', HTMLInputElement);
  const forget = element('token-forget', HTMLButtonElement);
  const state = element('token-state', HTMLParagraphElement);
  const grants = element('token-grants', HTMLDetailsElement);

  const demo = document.createElement('button');
  demo.id = 'token-demo';
  demo.type = 'button';
  demo.textContent = 'Use the demo token';

  /** @param {Verdict} verdict */
  const show = (verdict) => {
    const { tone, text, needsToken } = verdictWords(verdict, { openIntrospection });
    state.dataset['state'] = tone;
    state.replaceChildren(text);
    if (needsToken) {
      const link = document.createElement('a');
      link.href = `${startPage}#get-a-token`;
      link.textContent = 'How to get a token';
      state.append(' ', link);
    }
    forget.hidden = session.token() === '';
    if (demoToken !== null && session.token() === '') state.append(' ', demo);

    const lines = verdict.state === 'known' ? grantLines(verdict.viewer) : [];
    grants.hidden = lines.length === 0;
    grants.open = false;
    grants.querySelector('ul')?.replaceChildren(
      ...lines.map((line) => {
        const item = document.createElement('li');
        item.textContent = line;
        return item;
      }),
    );
  };

  const use = () => {
    state.dataset['state'] = 'quiet';
    state.textContent = 'Asking the gateway …';
    void session.use(input.value);
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    use();
  });
  demo.addEventListener('click', () => {
    input.value = demoToken ?? '';
    input.focus();
    use();
  });
  forget.addEventListener('click', () => {
    input.value = '';
    input.focus();
    void session.use('');
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') grants.open = false;
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (!(target instanceof Node && grants.contains(target))) grants.open = false;
  });

  input.value = session.token();
  session.onVerdict(show);
};
