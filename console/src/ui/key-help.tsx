import { useState } from 'react';
import { Button, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useShortcuts } from './use-shortcuts.js';

const KEYS: readonly { keys: readonly string[]; text: string }[] = [
  { keys: ['/'], text: 'Search on this page' },
  { keys: ['f'], text: 'Find a feature' },
  { keys: ['j', 'k'], text: 'Next and previous row; in the event log, opens it' },
  { keys: ['Enter'], text: 'Open the row' },
  { keys: ['d'], text: 'In the event log: to the details of the opened event' },
  { keys: ['Esc'], text: 'Clear the search, or close what is open' },
  { keys: ['←', '→'], text: 'On the time slider: earlier and later' },
  { keys: ['?'], text: 'Show these keys' },
];

/** A button that lists the keys of the console. */
export const KeyHelp = () => {
  const [isOpen, setIsOpen] = useState(false);
  useShortcuts({ '?': () => setIsOpen(true) });
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setIsOpen}>
      <Button className="key-help" aria-label="Keyboard shortcuts">
        <kbd>?</kbd>
      </Button>
      <ModalOverlay className="overlay" isDismissable>
        <Modal className="modal small">
          <Dialog className="dialog">
            <header className="screen-header">
              <Heading slot="title">Keyboard shortcuts</Heading>
              <Button slot="close" className="button end" autoFocus>
                Close
              </Button>
            </header>
            <dl className="keys">
              {KEYS.map(({ keys, text }) => (
                <div key={text}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
};
