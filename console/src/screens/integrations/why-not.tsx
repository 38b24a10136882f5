import { useEffect, useState } from 'react';
import { Button, FieldError, Form, Input, Label, TextField } from 'react-aria-components';
import { useDocument } from '../../api/use-document.js';
import { NewestEventsDocument } from '../../generated/documents.js';
import { Sentence } from '../../ui/sentence.js';
import { Time } from '../../ui/time.js';
import { Explanation } from './explanation.js';
import { useIntegrationView } from './use-integration-view.js';

const ID = /^\d{1,10}$/;
const MAX_ID = 2_147_483_647;

const isId = (text: string) => ID.test(text) && Number(text) <= MAX_ID;

const NewestEvents = ({ onChoose }: { onChoose: (id: string) => void }) => {
  const { data } = useDocument(NewestEventsDocument, { first: 10 });
  if (!data) return null;
  return (
    <details className="newest">
      <summary>Choose one of the newest events</summary>
      <ul className="plain">
        {data.events.nodes.map(({ id, createdAt, label, summary }) => (
          <li key={id}>
            <p>
              <Sentence markdown={summary} />
            </p>
            <p className="delivery-facts">
              <Time value={createdAt} isRelative />
              <button
                type="button"
                className="link"
                aria-label={`Explain event ${id}: ${label}`}
                onClick={() => onChoose(String(id))}
              >
                Explain event {id}
              </button>
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
};

/** Explains why an event was or was not sent to the integration. */
export const WhyNot = ({ id }: { id: number }) => {
  const { view, change } = useIntegrationView();
  const [typed, setTyped] = useState(view.explain);
  const [isWrong, setIsWrong] = useState(false);
  useEffect(() => {
    setTyped(view.explain);
    setIsWrong(view.explain !== '' && !isId(view.explain));
  }, [view.explain]);
  return (
    <section aria-labelledby="why-title" className="why">
      <h2 id="why-title">Why did it not fire?</h2>
      <p className="quiet">
        Checks whether Unleash sends an event to this integration, as it is configured now.
      </p>
      <Form
        className="why-form"
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault();
          const text = typed.trim();
          setIsWrong(!isId(text));
          if (isId(text)) change({ explain: text });
        }}
      >
        <TextField className="field" value={typed} onChange={setTyped} isInvalid={isWrong}>
          <Label>Event ID</Label>
          <Input inputMode="numeric" autoComplete="off" placeholder="Such as 120" />
          <FieldError className="wrong">Enter the ID of an event, such as 120.</FieldError>
        </TextField>
        <Button className="button" type="submit">
          Explain
        </Button>
      </Form>
      <NewestEvents onChoose={(explain) => change({ explain })} />
      {isId(view.explain) ? (
        <Explanation key={view.explain} id={id} eventId={Number(view.explain)} />
      ) : null}
    </section>
  );
};
