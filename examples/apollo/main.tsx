import { ApolloProvider } from '@apollo/client/react';
import { createRoot } from 'react-dom/client';
import { apollo } from './client.js';
import { EventLog } from './event-log.js';

createRoot(document.getElementById('root') as HTMLElement).render(
  <ApolloProvider client={apollo}>
    <EventLog />
  </ApolloProvider>,
);
