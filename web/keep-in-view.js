/**
 * Moves the list of tabs only; scrollIntoView would also move what is around it.
 * @param {Element} tab
 */
const reveal = (tab) => {
  const list = tab.parentElement;
  if (!list) return;
  const [inner, outer] = [tab.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inner.left < outer.left) list.scrollLeft += inner.left - outer.left;
  if (inner.right > outer.right) list.scrollLeft += inner.right - outer.right;
};

/**
 * GraphiQL leaves both as they were scrolled: a page of the documentation begins at its top, the active tab is in sight.
 * @param {HTMLElement} root
 */
export const keepInView = (root) => {
  let title = '';
  /** @type {Element | null} */
  let active = null;

  const look = () => {
    const shown = root.querySelector('.graphiql-doc-explorer-title')?.textContent ?? '';
    if (shown !== title) root.querySelector('.graphiql-plugin')?.scrollTo(0, 0);
    title = shown;

    const tab = root.querySelector('.graphiql-tab-active');
    if (tab && tab !== active) reveal(tab);
    active = tab;
  };

  new MutationObserver(look).observe(root, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ['class'],
  });
};
