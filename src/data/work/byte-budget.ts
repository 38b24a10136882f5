/** The result exceeds the size limit of one response. */
export class ResultTooLargeError extends Error {
  constructor(readonly maxBytes: number) {
    super(`the rows take more than ${maxBytes} bytes`);
  }
}

/** Other responses use up the memory for responses. */
export class ResponseBudgetError extends Error {
  constructor() {
    super('too many bytes of responses are in flight');
  }
}

/** Requests up to this size are rejected only if their client has used up its own share, whatever others hold. */
const SMALL_BYTES = 262_144;

/** Bytes of responses in flight: results in progress and bodies not yet sent. */
export type ByteBudget = {
  readonly maxPerWork: number;
  /**
   * Reserves bytes for an owner. Returns false, and reserves nothing, without room. `totalBytes` is the request's total
   * including them.
   */
  take(owner: string, bytes: number, totalBytes: number): boolean;
  release(owner: string, bytes: number): void;
  inFlight(): number;
};

/** Requests whose client is not known yet. */
export const NO_OWNER = '';
/** What clients without valid credentials send and receive must not use up the share of those being authenticated. */
export const UNKNOWN_BODIES = 'bodies of unknown clients';
export const UNKNOWN_PAGES = 'pages of unknown clients';

const PAGES_OF = `${UNKNOWN_PAGES} of `;
/** Owner of what one address receives of UNKNOWN_PAGES. */
export const unknownPagesOf = (network: string): string => `${PAGES_OF}${network}`;
/** An address can hold this part of that share, or one page, if larger. */
const ADDRESS_PART = 1 / 4;

/** Share of the budget. */
const SHARES: ReadonlyMap<string, number> = new Map([
  [NO_OWNER, 1 / 8],
  [UNKNOWN_BODIES, 1 / 8],
  [UNKNOWN_PAGES, 1 / 4],
]);

/** Limits each owner to half the budget (or one full response, if larger), so one client can't starve the others. */
export const createByteBudget = ({
  max,
  maxPerWork,
}: {
  max: number;
  maxPerWork: number;
}): ByteBudget => {
  const byOwner = new Map<string, number>();
  let total = 0;
  const maxOf = (owner: string): number => {
    const share = SHARES.get(owner);
    return share === undefined ? Math.max(max / 2, maxPerWork) : share * max;
  };
  const isOverShare = (owner: string, bytes: number): boolean => {
    const before = byOwner.get(owner) ?? 0;
    if (!owner.startsWith(PAGES_OF)) return before + bytes > maxOf(owner);
    const isOverPart = before > 0 && before + bytes > maxOf(UNKNOWN_PAGES) * ADDRESS_PART;
    return isOverPart || isOverShare(UNKNOWN_PAGES, bytes);
  };
  const add = (owner: string, bytes: number): void => {
    const owned = (byOwner.get(owner) ?? 0) + bytes;
    if (owned > 0) byOwner.set(owner, owned);
    else byOwner.delete(owner);
    if (owner.startsWith(PAGES_OF)) add(UNKNOWN_PAGES, bytes);
  };

  return {
    maxPerWork,
    take: (owner, bytes, totalBytes) => {
      const isFull = total + bytes > max;
      if (isOverShare(owner, bytes) || (isFull && totalBytes > SMALL_BYTES)) return false;
      total += bytes;
      add(owner, bytes);
      return true;
    },
    release: (owner, bytes) => {
      total -= bytes;
      add(owner, -bytes);
    },
    inFlight: () => total,
  };
};
