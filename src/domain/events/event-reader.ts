import { escapeLineStart, escapeMarkdown, link, markdown, plain } from './event-markdown.js';
import { firstText, firstValue, idsWords } from './event-payload.js';

export type EventFacts = {
  type: string;
  createdBy: string;
  featureName: string | null;
  projectId: string | null;
  environment: string | null;
  data: unknown;
  preData: unknown;
};

/** The building blocks of a summary, all of them Markdown. */
export type EventReader = {
  data: unknown;
  preData: unknown;
  /** The author, fit to open the sentence. */
  who: string;
  /** The feature with its link; `a feature` when the event names none. */
  feature: string;
  /** The feature without a link, for one that no longer has a page. */
  goneFeature: string;
  project: string;
  goneProject: string;
  /** `environment development`, or nothing. */
  environment: string;
  /** ` in project web`, with the blank in front, or nothing. */
  inProject: string;
  /** ` in environment development of project web`, as far as the event says. */
  place: string;
  changeRequest: string;
  /** The first of these fields that has a text, in the new state before the old. */
  now: (...keys: string[]) => string;
  /** The same, in the old state before the new. */
  was: (...keys: string[]) => string;
  featureCalled: (name: string) => string;
  projectCalled: (id: string) => string;
};

/** `role editor`, or `a role` when the name is not known. */
export const named = (kind: string, name: string): string => {
  if (name !== '') return `${kind} ${name}`;
  return /^[aeio]/i.test(kind) ? `an ${kind}` : `a ${kind}`;
};

const authorWords = (createdBy: string): string => {
  if (createdBy === 'unleash_system_user') return 'The system';
  return escapeLineStart(plain(createdBy)) || 'Somebody';
};

const environmentWords = (environment: string | null): string => {
  if (environment === '*') return 'all environments';

  const name = markdown(environment);
  return name === '' ? '' : `environment ${name}`;
};

// API tokens of several projects record them as one text with commas, or as a star.
const isSingle = (project: string): boolean => project !== '*' && !project.includes(',');

export const readEvent = (event: EventFacts, adminUiUrl: string): EventReader => {
  const base = adminUiUrl.replace(/\/+$/, '');
  const { data, preData } = event;
  const projectId = event.projectId ?? '';

  const projectCalled = (id: string): string => {
    if (id === '*') return 'all projects';

    const text = isSingle(id) ? markdown(id) : escapeMarkdown(idsWords(id));
    if (text === '') return 'a project';
    return isSingle(id) ? `project ${link(text, base, ['projects', id])}` : `projects ${text}`;
  };
  const inOwnProject = (text: string, path: readonly string[]): string =>
    text === '' || !isSingle(projectId) ? text : link(text, base, ['projects', projectId, ...path]);
  const featureCalled = (name: string): string =>
    named('feature', inOwnProject(markdown(name), ['features', name]));

  const environment = environmentWords(event.environment);
  const project = projectCalled(projectId);
  const hasProject = plain(projectId) !== '';
  const inProject = hasProject ? ` in ${project}` : '';
  const inEnvironment = ` in ${environment}${hasProject ? ` of ${project}` : ''}`;
  const place = environment === '' ? inProject : inEnvironment;

  const request = firstValue([data, preData], ['changeRequestId']);
  const requestLink =
    request === '' ? '' : inOwnProject(`#${markdown(request)}`, ['change-requests', request]);
  const forFeature = event.featureName ? ` for ${featureCalled(event.featureName)}` : '';

  return {
    data,
    preData,
    who: authorWords(event.createdBy),
    feature: featureCalled(event.featureName ?? ''),
    goneFeature: named('feature', markdown(event.featureName)),
    project,
    goneProject: named('project', markdown(projectId)),
    environment,
    inProject,
    place,
    changeRequest: `${named('change request', requestLink)}${forFeature}${place}`,
    now: (...keys) => escapeMarkdown(firstText([data, preData], keys)),
    was: (...keys) => escapeMarkdown(firstText([preData, data], keys)),
    featureCalled,
    projectCalled,
  };
};
