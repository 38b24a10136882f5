import { Button, Heading } from 'react-aria-components';
import { Link } from 'wouter';

type Props = {
  source: string;
  feature: { name: string; project: { name: string } | null };
  onClose: () => void;
};

/** The copy exists. */
export const CloneDone = ({ source, feature: { name, project }, onClose }: Props) => (
  <>
    <Heading slot="title">Cloned</Heading>
    <p role="status">
      {name} now exists{project === null ? '' : ` in project ${project.name}`}, as a copy of{' '}
      {source}. It is off in every environment.
    </p>
    <footer className="dialog-actions">
      <Link
        className="button primary"
        href={`/features/${encodeURIComponent(name)}`}
        onClick={onClose}
      >
        Open {name}
      </Link>
      <Button className="button" onPress={onClose} autoFocus>
        Close
      </Button>
    </footer>
  </>
);
