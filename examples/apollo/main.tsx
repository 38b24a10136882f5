import { ApolloProvider } from '@apollo/client/react';
import { useMemo } from 'react';
import { createRoot } from 'react-dom/client';
import { Page, useToken, type View } from '../parts/page.js';
import { CleanUp } from './clean-up.js';
import { createApollo } from './client.js';
import { Clone } from './clone.js';
import { EventLog } from './event-log.js';
import { FeatureTimeline } from './feature-timeline.js';

const VIEWS: readonly View[] = [
  { hash: '#events', title: 'Event log', content: <EventLog /> },
  { hash: '#timeline', title: 'Timeline', content: <FeatureTimeline /> },
  { hash: '#clean-up', title: 'Clean up', content: <CleanUp /> },
  { hash: '#clone', title: 'Clone', content: <Clone /> },
];

const App = () => {
  const [token, setToken] = useToken();
  const client = useMemo(() => createApollo(token), [token]);
  return (
    <ApolloProvider client={client} key={token}>
      <Page title="flaggraph on Apollo Client" token={token} onToken={setToken} views={VIEWS} />
    </ApolloProvider>
  );
};

const root = document.getElementById('page');
if (root) createRoot(root).render(<App />);
