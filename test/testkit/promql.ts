import { parser } from '@prometheus-io/lezer-promql';

export type Selector = {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
};

export type Query = {
  selectors: Selector[];
  /** Labels of `by` and `on`. */
  grouping: string[];
};

/** Grafana replaces these before it sends a query. */
const withoutVariables = (query: string): string => query.replaceAll('$__rate_interval', '5m');

/** The metrics and labels in a PromQL query. Throws on a syntax error. */
export const readQuery = (text: string): Query => {
  const query = withoutVariables(text);
  const selectors: Selector[] = [];
  const grouping: string[] = [];
  let isMatcher = false;
  parser.parse(query).iterate({
    enter: ({ name, type, from, to }) => {
      const part = query.slice(from, to);
      if (type.isError) throw new Error(`Syntax error at ${from} in: ${query}`);
      if (name === 'Identifier') selectors.push({ metric: part, matchers: [] });
      if (name === 'LabelMatchers') isMatcher = true;
      if (name === 'LabelName') {
        if (isMatcher) selectors.at(-1)?.matchers.push({ label: part, operator: '', value: '' });
        else grouping.push(part);
      }
      const matcher = selectors.at(-1)?.matchers.at(-1);
      if (isMatcher && matcher && name === 'MatchOp') matcher.operator = part;
      if (isMatcher && matcher && name === 'StringLiteral') matcher.value = part.slice(1, -1);
    },
    leave: ({ name }) => {
      if (name === 'LabelMatchers') isMatcher = false;
    },
  });
  return { selectors, grouping };
};
