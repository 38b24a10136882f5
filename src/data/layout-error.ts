/** The database is not one the gateway can work on; the message is for the person who starts it. */
export class LayoutError extends Error {
  override readonly name = 'LayoutError';
}
