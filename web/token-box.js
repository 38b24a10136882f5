import { grantLines, identityMessage } from './identity-message.js';

/** @import { Session } from './session.js' */
/** @import { Identity } from './who-am-i.js' */

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
 * The token form: accepts a token, and shows its owner and the next step.
 * @param {Session} session
 * @param {{ openIntrospection: boolean, hasSessions: boolean, startPage: string, demoToken: string | null }} settings
 */
export const startTokenBox = (
  session,
  { openIntrospection, hasSessions, startPage, demoToken },
) => {
  const form = element('token-form', HTMLFormElement);
  const input = element('token', HTMLInputElement);
  const forget = element('token-forget', HTMLButtonElement);
  const state = element('token-state', HTMLParagraphElement);
  const grants = element('token-grants', HTMLDetailsElement);

  const demo = document.createElement('button');
  demo.id = 'token-demo';
  demo.type = 'button';
  demo.textContent = 'Use the demo token';

  /** @param {Identity} identity */
  const show = (identity) => {
    const { tone, text, needsToken } = identityMessage(identity, {
      openIntrospection,
      hasSessions,
    });
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

    const lines = identity.state === 'known' ? grantLines(identity.viewer) : [];
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
    state.textContent = 'Checking the token …';
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
  session.onIdentity(show);
};
