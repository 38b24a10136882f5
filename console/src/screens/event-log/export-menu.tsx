import { useState } from 'react';
import { Button } from 'react-aria-components';
import { requestHeaders } from '../../api/create-client.js';
import { settings } from '../../settings.js';
import { type EventView, exportSearch } from './event-view.js';

const FORMATS = [
  { extension: 'csv', name: 'CSV' },
  { extension: 'ndjson', name: 'JSON lines' },
];

/** The token is in a header, so the file is fetched and then saved. */
const save = async (view: EventView, extension: string): Promise<void> => {
  const search = exportSearch(view);
  const address = `${settings.basePath}/export/events.${extension}${search === '' ? '' : `?${search}`}`;
  const response = await fetch(address, { headers: requestHeaders(), credentials: 'same-origin' });
  if (!response.ok)
    throw new Error((await response.json().catch(() => ({}))).message ?? response.statusText);
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `events.${extension}`;
  link.click();
  URL.revokeObjectURL(url);
};

/** Saves the events of the current filter. */
export const ExportMenu = ({ view }: { view: EventView }) => {
  const [state, setState] = useState<string | null>(null);
  const start = async (extension: string) => {
    setState('Exporting …');
    try {
      await save(view, extension);
      setState(null);
    } catch (error) {
      setState(error instanceof Error ? error.message : 'The export failed.');
    }
  };
  return (
    <div className="export">
      {FORMATS.map(({ extension, name }) => (
        <Button key={extension} className="button" onPress={() => void start(extension)}>
          Export {name}
        </Button>
      ))}
      {state === null ? null : <span role="status">{state}</span>}
    </div>
  );
};
