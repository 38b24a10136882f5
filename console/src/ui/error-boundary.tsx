import { Component, type ReactNode } from 'react';
import { Button } from 'react-aria-components';

/** The files of a screen are not there: no connection, or another version of the gateway runs meanwhile. */
export class ScreenUnavailable extends Error {}

const textOf = (error: unknown): { title: string; text: string } =>
  error instanceof ScreenUnavailable
    ? {
        title: 'This page could not be loaded',
        text: 'The connection was interrupted, or the gateway has been updated.',
      }
    : { title: 'Something went wrong', text: 'The page stopped because of an error.' };

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
    const { title, text } = textOf(error);
    return (
      <section className="notice" role="alert">
        <h1>{title}</h1>
        <p>{text}</p>
        <Button className="button" onPress={() => location.reload()}>
          Reload
        </Button>
      </section>
    );
  }
}
