import { Button } from 'react-aria-components';
import type { Problem } from '../api/problem.js';

const textOf = (problem: Problem): { title: string; text: string } => {
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
      return { title: 'This cannot be searched', text: problem.message };
    case 'failed':
      return {
        title: 'Something went wrong',
        text: problem.id === null ? problem.message : `${problem.message} Error ID: ${problem.id}`,
      };
  }
};

/** What went wrong, in a sentence, and what to do. */
export const ProblemNotice = ({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) => {
  const { title, text } = textOf(problem);
  return (
    <section className="notice" role="alert">
      <h2>{title}</h2>
      <p>{text}</p>
      {onRetry && problem.kind !== 'forbidden' ? (
        <Button className="button" onPress={onRetry}>
          Try again
        </Button>
      ) : null}
    </section>
  );
};
