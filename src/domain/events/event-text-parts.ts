import { escapeLineStart, escapeMarkdown, link, markdown, plain } from './event-markdown.js';
import { firstText, firstValue, idsText } from './event-payload.js';

export type EventFacts = {
  type: string;
  createdBy: string;
  featureName: string | null;
  projectId: string | null;
  environment: string | null;
  data: unknown;
  preData: unknown;
};

/** `role editor`, or `a role` if the name is unknown. */
export const named = (kind: string, name: string): string => {
  if (name !== '') return `${kind} ${name}`;
  return /^[aeio]/i.test(kind) ? `an ${kind}` : `a ${kind}`;
};

const authorText = (createdBy: string): string => {
  if (createdBy === 'unleash_system_user') return 'The system';
  return escapeLineStart(plain(createdBy)) || 'Somebody';
};

const environmentText = (environment: string | null): string => {
  if (environment === '*') return 'all environments';

  const name = markdown(environment);
  return name === '' ? '' : `environment ${name}`;
};

// API tokens of several projects record them as a comma-separated text or as `*`.
const isSingle = (project: string): boolean => project !== '*' && !project.includes(',');

/** Parts of a summary, all in Markdown, created on demand. */
export class EventTextParts {
  readonly #event: EventFacts;
  readonly #base: string;

  constructor(event: EventFacts, base: string) {
    this.#event = event;
    this.#base = base;
  }

  get data(): unknown {
    return this.#event.data;
  }

  get preData(): unknown {
    return this.#event.preData;
  }

  /** The author, escaped for the start of a line. */
  get who(): string {
    return authorText(this.#event.createdBy);
  }

  /** The feature with its link; `a feature` if the event names none. */
  get feature(): string {
    return this.featureCalled(this.#event.featureName ?? '');
  }

  /** The feature without a link, because it no longer has a page. */
  get goneFeature(): string {
    return named('feature', markdown(this.#event.featureName));
  }

  get project(): string {
    return this.projectCalled(this.#projectId);
  }

  get goneProject(): string {
    return named('project', markdown(this.#projectId));
  }

  /** `environment development`, or empty. */
  get environment(): string {
    return environmentText(this.#event.environment);
  }

  /** ` in project web`, with the leading space, or empty. */
  get inProject(): string {
    return plain(this.#projectId) === '' ? '' : ` in ${this.project}`;
  }

  /** ` in environment development of project web`, as far as recorded. */
  get place(): string {
    const { environment } = this;
    if (environment === '') return this.inProject;
    return ` in ${environment}${plain(this.#projectId) === '' ? '' : ` of ${this.project}`}`;
  }

  get changeRequest(): string {
    const { data, preData, featureName } = this.#event;
    const request = firstValue([data, preData], ['changeRequestId']);
    const requestLink =
      request === ''
        ? ''
        : this.#inOwnProject(`#${markdown(request)}`, ['change-requests', request]);
    const forFeature = featureName ? ` for ${this.featureCalled(featureName)}` : '';
    return `${named('change request', requestLink)}${forFeature}${this.place}`;
  }

  /** The first of these fields that has a text, preferring the new state. */
  now(...keys: string[]): string {
    return escapeMarkdown(firstText([this.data, this.preData], keys));
  }

  /** The same, preferring the old state. */
  was(...keys: string[]): string {
    return escapeMarkdown(firstText([this.preData, this.data], keys));
  }

  featureCalled(name: string): string {
    return named('feature', this.#inOwnProject(markdown(name), ['features', name]));
  }

  projectCalled(id: string): string {
    if (id === '*') return 'all projects';

    const text = isSingle(id) ? markdown(id) : escapeMarkdown(idsText(id));
    if (text === '') return 'a project';
    return isSingle(id)
      ? `project ${link(text, this.#base, ['projects', id])}`
      : `projects ${text}`;
  }

  get #projectId(): string {
    return this.#event.projectId ?? '';
  }

  #inOwnProject(text: string, path: readonly string[]): string {
    const projectId = this.#projectId;
    if (text === '' || !isSingle(projectId)) return text;
    return link(text, this.#base, ['projects', projectId, ...path]);
  }
}
