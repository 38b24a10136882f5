// Loaded into a gateway with --import: throws an uncaught error on a signal.
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.on('SIGUSR2', () => {
    const error = new Error('nothing catches this');
    if (process.env['THROW_AS'] === 'rejection') Promise.reject(error);
    else throw error;
  });
}
