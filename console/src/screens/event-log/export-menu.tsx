import { useEffect, useState } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { requestHeaders } from '../../api/create-client.js';
import { useOnReconnect } from '../../api/use-on-reconnect.js';
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

const messageOf = (error: unknown): string => {
  // What `fetch` throws without a connection has another text in each browser.
  if (error instanceof TypeError) return 'The gateway cannot be reached. Try again later.';
  return error instanceof Error ? error.message : 'The export failed.';
};

/** Saves the events of the current filter. */
export const ExportMenu = ({ view }: { view: EventView }) => {
  const [state, setState] = useState<string | null>(null);
  const search = exportSearch(view);
  // The message is about the filter before, or the connection that was lost.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each filter.
  useEffect(() => setState(null), [search]);
  useOnReconnect(() => setState(null));
  const start = async (extension: string) => {
    setState('Exporting …');
    try {
      await save(view, extension);
      setState(null);
    } catch (error) {
      setState(messageOf(error));
    }
  };
  return (
    <>
      <span role="status">{state}</span>
      <MenuTrigger>
        <Button className="button">
          Export <span aria-hidden="true">▾</span>
        </Button>
        <Popover placement="bottom end">
          <Menu className="menu" onAction={(extension) => void start(String(extension))}>
            {FORMATS.map(({ extension, name }) => (
              <MenuItem key={extension} id={extension} className="menu-item">
                These events as {name}
              </MenuItem>
            ))}
          </Menu>
        </Popover>
      </MenuTrigger>
    </>
  );
};
