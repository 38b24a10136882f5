export { type EdgeOf, followEvents, type LiveOptions, type LiveStatus } from './follow-events.js';
export type { LiveClient, LiveRequest, LiveResult, LiveSink } from './live-client.js';
export { LiveError } from './live-error.js';
export { liveEvents } from './live-events.js';
