import { createRoot } from 'react-dom/client';
import { Provider } from 'urql';
import { urql } from './client.js';
import { EventLog } from './event-log.js';

createRoot(document.getElementById('root') as HTMLElement).render(
  <Provider value={urql}>
    <EventLog />
  </Provider>,
);
