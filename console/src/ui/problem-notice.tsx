import { Button } from 'react-aria-components';
import type { Problem } from '../api/problem.js';

/** A value in the address that the graph does not know is reported with the names of the query. */
const invalidText = (message: string): string =>
  message.startsWith('Variable "$')
    ? 'The address of this page contains a filter that does not exist.'
    : message;

export const textOf = (problem: Problem): { title: string; text: string } => {
  switch (problem.kind) {
    case 'offline':
      return {
        title: 'No connection',
        text: 'The gateway cannot be reached. The page tries again by itself.',
      };
    case 'signed-out':
      return { title: 'Sign in', text: problem.message };
    case 'forbidden':
      return { title: 'Not visible to you', text: problem.message };
    case 'busy':
      return { title: 'The gateway is busy', text: problem.message };
    case 'invalid':
      return { title: 'This cannot be searched', text: invalidText(problem.message) };
    case 'failed':
      return {
        title: 'Something went wrong',
        text: problem.id === null ? problem.message : `${problem.message} Error ID: ${problem.id}`,
      };
  }
};

type Props = {
  problem: Problem;
  onRetry?: () => void;
  /** Removes the filters, which may be the problem. */
  onReset?: () => void;
};

/** What went wrong, in a sentence, and what to do. */
export const ProblemNotice = ({ problem, onRetry, onReset }: Props) => {
  const { title, text } = textOf(problem);
  // Sent again, an invalid request is rejected again.
  const isInvalid = problem.kind === 'invalid';
  const act = isInvalid ? onReset : onRetry;
  return (
    <section className="notice" role="alert">
      <h2>{title}</h2>
      <p>{text}</p>
      {act && problem.kind !== 'forbidden' ? (
        <Button className="button" onPress={act}>
          {isInvalid ? 'Remove all filters' : 'Try again'}
        </Button>
      ) : null}
    </section>
  );
};
