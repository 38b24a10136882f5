import { useState } from 'react';
import { Button, FieldError, Form, Input, Label, TextField } from 'react-aria-components';
import { settings } from '../settings.js';
import { useTitle } from '../ui/use-title.js';
import { canBeToken, changeToken, readToken } from './token.js';

/** Shown to users who are not signed in. */
export const SignIn = ({ message }: { message: string }) => {
  useTitle('Sign in');
  const [token, setToken] = useState('');
  return (
    <section className="notice">
      <h1>Sign in</h1>
      {readToken() === '' ? null : <p role="alert">{message}</p>}
      {settings.hasSessions ? (
        <p>
          {settings.unleashUrl === null ? (
            'Sign in to Unleash in this browser, then reload this page.'
          ) : (
            <>
              <a href={settings.unleashUrl}>Sign in to Unleash</a> in this browser, then reload this
              page.
            </>
          )}{' '}
          If you are signed in there already, this gateway does not accept your session: ask its
          operator, or use a token.
        </p>
      ) : (
        <p>Enter a personal access token or an admin token. It is kept while this tab is open.</p>
      )}
      <Form
        className="sign-in"
        onSubmit={(event) => {
          event.preventDefault();
          changeToken(token);
        }}
      >
        <TextField
          value={token}
          onChange={setToken}
          isRequired
          validate={(text) =>
            canBeToken(text.trim()) ||
            'A token has no spaces and no special characters. Copy it again from where it was created.'
          }
          autoComplete="off"
          spellCheck="false"
          type="password"
          className="field"
        >
          <Label>Token</Label>
          <Input />
          <FieldError className="field-error" />
        </TextField>
        <Button className="button" type="submit">
          Sign in
        </Button>
      </Form>
      <p>
        <a href={`${settings.basePath}/start#get-a-token`}>How to get a token</a>
      </p>
    </section>
  );
};
