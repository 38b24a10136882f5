import { Component, type ReactNode, useEffect } from 'react';
import { Button } from 'react-aria-components';
import { useOnReconnect } from '../api/use-on-reconnect.js';

/** The files of a screen are not there: no connection, or another version of the gateway runs meanwhile. */
export class ScreenUnavailable extends Error {
  constructor(
    cause: unknown,
    /** Lets the next visit load the files again. */
    readonly reset: () => void,
  ) {
    super('The screen could not be loaded.', { cause });
  }
}

const textOf = (error: unknown): { title: string; text: string } =>
  error instanceof ScreenUnavailable
    ? {
        title: 'This page could not be loaded',
        text: 'The connection was interrupted, or the gateway has been updated.',
      }
    : { title: 'Something went wrong', text: 'The page stopped because of an error.' };

const Failure = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => {
  const { title, text } = textOf(error);
  const reset = error instanceof ScreenUnavailable ? error.reset : undefined;
  useEffect(() => reset, [reset]);
  useOnReconnect(() => {
    reset?.();
    if (reset) onRetry();
  });
  return (
    <section className="notice" role="alert">
      <h1>{title}</h1>
      <p>{text}</p>
      <Button className="button" onPress={() => location.reload()}>
        Reload
      </Button>
    </section>
  );
};

type Props = { children: ReactNode };

/** Takes the place of a screen that cannot be shown. Navigation stays usable. */
export class ErrorBoundary extends Component<Props, { error: unknown }> {
  override state = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <Failure error={error} onRetry={() => this.setState({ error: undefined })} />;
  }
}
