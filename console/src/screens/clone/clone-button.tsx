import { Button, Dialog, DialogTrigger, Modal, ModalOverlay } from 'react-aria-components';
import { useDocument } from '../../api/use-document.js';
import { CloneTargetsDocument } from '../../generated/documents.js';
import type { ShownFeature } from '../feature/feature-header.js';
import { CloneForm } from './clone-form.js';

const ALL = { search: null };

/** Opens the dialog, or explains why the caller cannot clone. */
export const CloneButton = ({ feature }: { feature: ShownFeature }) => {
  const { data } = useDocument(CloneTargetsDocument, ALL, { isFresh: false });
  const targets = data?.projects;
  const reason = feature.archived
    ? 'Archived features cannot be cloned. Revive it first.'
    : targets?.totalCount === 0
      ? 'To clone it, you need permission to create features in a project.'
      : null;
  if (reason !== null) {
    return (
      <span className="clone-refused">
        <Button className="button" isDisabled aria-describedby="clone-reason">
          Clone
        </Button>
        <span id="clone-reason" className="quiet">
          {reason}
        </span>
      </span>
    );
  }
  return (
    <DialogTrigger>
      <Button className="button" isDisabled={targets === undefined}>
        Clone
      </Button>
      <ModalOverlay className="overlay" isDismissable>
        <Modal className="modal">
          <Dialog className="dialog">
            {({ close }) => (
              <CloneForm feature={feature} targets={targets?.nodes ?? []} onClose={close} />
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
};
