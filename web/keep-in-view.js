/**
 * Scrolls the tab list only; scrollIntoView would also scroll its ancestors.
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
 * Scrolls documentation pages to their top and the active tab into view, because GraphiQL does neither.
 * @param {HTMLElement} root
 */
export const keepInView = (root) => {
  let title = '';
  /** @type {Element | null} */
  let active = null;

  const update = () => {
    const currentTitle = root.querySelector('.graphiql-doc-explorer-title')?.textContent ?? '';
    if (currentTitle !== title) root.querySelector('.graphiql-plugin')?.scrollTo(0, 0);
    title = currentTitle;

    const tab = root.querySelector('.graphiql-tab-active');
    if (tab && tab !== active) reveal(tab);
    active = tab;
  };

  new MutationObserver(update).observe(root, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ['class'],
  });
};
