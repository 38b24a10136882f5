import { showsResponse } from './event-log.js';
import type { Journey, Visit } from './visit.js';

/** Only administrators may open the event log; other users see a message. */
const openEventLog = async (visit: Visit): Promise<void> => {
  await visit.open('/history?type=IS%3Afeature-created');
  if (visit.person.isAdmin) {
    await showsResponse(
      visit,
      'features created',
      (query) => query.get('type') === 'IS:feature-created',
    );
  } else {
    await visit.page.getByText('You need one of the following permissions').waitFor();
  }
  await visit.comparesText('event log');
};

export const logsAsPerson: Journey = {
  name: 'event logs',
  edition: 'open source',
  operations: ['search events'],
  walk: async (visit) => {
    await openEventLog(visit);

    await visit.open('/projects/default/logs');
    await showsResponse(visit, 'project default', (query) => query.get('project') === 'IS:default');
    await visit.comparesText('event log of a project');
    await visit.page.getByRole('textbox', { name: /^Search/ }).fill('made-by');
    await showsResponse(
      visit,
      'project default, found by text',
      (query) => query.get('project') === 'IS:default' && query.get('query') === 'made-by',
    );
    await visit.comparesText('event log of a project, found by text');

    await visit.open('/projects/default/features/rich/logs');
    await showsResponse(visit, 'feature rich', (query) => query.get('feature') === 'IS:rich');
    await visit.comparesText('event log of a feature');
    await visit.picture('event-log-of-feature');
  },
};

/** The menu entry for the events of an integration is enabled only for administrators. */
export const integrationsAsPerson: Journey = {
  name: 'integrations',
  edition: 'open source',
  operations: [],
  walk: async (visit) => {
    const { page } = visit;
    await visit.open('/integrations');
    const card = page.locator('a[href$="/integrations/edit/1"]');
    await card.getByRole('button', { name: 'More actions' }).click();
    // The accessible name of a disabled entry is its explanation.
    const entry = page.getByRole('menuitem').filter({ hasText: 'View events' });
    await entry.waitFor();
    await visit.comparesText('menu of an integration');
    const isEnabled = await entry.isEnabled();
    await visit.shows(
      'only an administrator may view the events of an integration',
      visit.person.isAdmin,
      async () => isEnabled,
    );
    if (!isEnabled) return;
    await entry.click();
    await visit.response('integration events');
    await visit.comparesText('events of an integration');
  },
};
