import { useMemo, useState } from 'react';
import { useDocument } from '../../api/use-document.js';
import { CleanUpProjectsDocument } from '../../generated/documents.js';
import { Choice } from '../../ui/choice.js';

type Props = {
  value: string;
  notSeenForDays: number;
  onChange: (project: string) => void;
};

/** Projects with the number of their features to clean up. */
export const ProjectChoice = ({ value, notSeenForDays, onChange }: Props) => {
  const [text, setText] = useState('');
  const variables = useMemo(() => ({ text, notSeenForDays }), [text, notSeenForDays]);
  const { data } = useDocument(CleanUpProjectsDocument, variables, { isFresh: false });
  const options = (data?.projects.nodes ?? []).map(({ id, name, health }) => ({
    id,
    label: name,
    count: health.cleanUp.totalCount,
  }));
  return (
    <Choice
      label="Project"
      value={value}
      options={options}
      onSearch={setText}
      onChange={onChange}
    />
  );
};
