import { useEffect, useState } from 'react';
import {
  Button,
  FieldError,
  Form,
  Input,
  Label,
  SearchField,
  TextField,
} from 'react-aria-components';
import { useDocument } from '../../api/use-document.js';
import { type EventFilter, NewestEventsDocument } from '../../generated/documents.js';
import { Sentence } from '../../ui/sentence.js';
import { ShowQuery } from '../../ui/show-query.js';
import { Time } from '../../ui/time.js';
import { useDebounced } from '../../ui/use-debounced.js';
import { Explanation } from './explanation.js';
import { useIntegrationView } from './use-integration-view.js';

const ID = /^\d{1,10}$/;
const MAX_ID = 2_147_483_647;

const isId = (text: string) => ID.test(text) && Number(text) <= MAX_ID;

/** The text of events is their data, without feature and author. */
const anywhere = (text: string): EventFilter => ({
  or: [{ text }, { featureName: { contains: text } }, { createdBy: { contains: text } }],
});

const EventChoice = ({ onChoose }: { onChoose: (id: string) => void }) => {
  const [text, setText] = useState('');
  const searched = useDebounced(text.trim());
  const variables = { first: 8, filter: searched === '' ? null : anywhere(searched) };
  const { data } = useDocument(NewestEventsDocument, variables);
  return (
    <section className="newest" aria-label="Choose an event">
      <SearchField className="field" value={text} onChange={setText} maxLength={500}>
        <Label>Or find the event</Label>
        <Input placeholder="Feature, author or other text" />
      </SearchField>
      <ShowQuery document={NewestEventsDocument} variables={variables} />
      <ul className="plain" aria-live="polite">
        {data?.events.nodes.length === 0 ? <li className="quiet">No events match.</li> : null}
        {data?.events.nodes.map(({ id, createdAt, label, summary }) => (
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
    </section>
  );
};

/** Explains why an event was or was not sent to the integration. */
export const ExplainDelivery = ({ id }: { id: number }) => {
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
        Choose an event. Every condition for sending it is checked, as configured now.
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
      {isId(view.explain) ? (
        <>
          <Explanation key={view.explain} id={id} eventId={Number(view.explain)} />
          <button type="button" className="link" onClick={() => change({ explain: '' })}>
            Explain another event
          </button>
        </>
      ) : (
        <EventChoice onChoose={(explain) => change({ explain })} />
      )}
    </section>
  );
};
