import { subscribeToToken } from '../../session/token.js';
import type { Pages } from './use-event-pages.js';

/** A list that was left: it is shown again at the same place if the browser goes back to it. */
type KeptList = { view: string; pages: Pages; offset: number; until: number };

const KEPT_MS = 300_000;

let kept: KeptList | null = null;
let isBack = false;

// Before the router renders the other screen.
window.addEventListener('popstate', () => (isBack = true), { capture: true });
window.addEventListener('pushState', () => (isBack = false), { capture: true });
// What one caller may see must not stay for the next one.
subscribeToToken(() => {
  kept = null;
});

export const keepList = (view: string, pages: Pages, offset: number): void => {
  kept = { view, pages, offset, until: Date.now() + KEPT_MS };
};

/** Null unless the browser has just gone back to this view. */
export const keptList = (view: string): KeptList | null =>
  isBack && kept?.view === view && Date.now() < kept.until ? kept : null;
