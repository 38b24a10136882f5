/** The gateway can't run on this database. The message is for the operator who starts it. */
export class LayoutError extends Error {
  override readonly name = 'LayoutError';
}
