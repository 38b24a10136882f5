import Markdown from 'markdown-to-jsx';
import { memo, type ReactNode } from 'react';
import { Link } from 'wouter';

/** Links of summaries lead to the admin UI of Unleash; those to features stay in the console. */
const FEATURE = /\/projects\/[^/]+\/features\/([^/?#]+)/;

const SentenceLink = ({ href = '', children }: { href?: string; children?: ReactNode }) => {
  const name = FEATURE.exec(href)?.[1];
  if (name !== undefined) return <Link href={`/features/${name}`}>{children}</Link>;
  return <>{children}</>;
};

/** A summary of the graph, which is one sentence of Markdown. */
export const Sentence = memo(({ markdown }: { markdown: string }) => (
  <Markdown
    options={{
      forceInline: true,
      disableParsingRawHTML: true,
      wrapper: null,
      overrides: { a: SentenceLink },
    }}
  >
    {markdown}
  </Markdown>
));
