import normalizeUrl from 'normalize-url';
import { parse } from 'tldts';
import { BadDataError } from '../errors.js';
import { asText, isObject } from '../json.js';

/** A link of a feature, as its row and its event record it. */
export type FeatureLink = {
  url: string;
  /** Omitted from the event if the template has none. */
  title?: string | null;
  /** The name of the site: `example` of `docs.example.co.uk`. Null for hosts without one. */
  domain: string | null;
};

type Copy = { name: string; targetProject: string };

const urlFrom = (template: string, { name, targetProject }: Copy): string =>
  template.replaceAll('{{project}}', () => targetProject).replaceAll('{{feature}}', () => name);

/** Unleash stores URLs as this library normalizes them; other rules would make equal links differ. */
const normalized = (url: string): string | null => {
  try {
    return normalizeUrl(url, { defaultProtocol: 'https' });
  } catch {
    return null;
  }
};

/** The link that a project's template creates for a new feature; null if it is not a URL. */
export const linkFrom = (template: unknown, copy: Copy): FeatureLink | null => {
  if (!isObject(template)) return null;
  const url = normalized(urlFrom(asText(template['urlTemplate']) ?? '', copy));
  if (url === null) return null;
  return {
    url,
    ...('title' in template && { title: asText(template['title']) }),
    domain: parse(url).domainWithoutSuffix,
  };
};

export const assertLinkTemplate = (template: unknown, copy: Copy): void => {
  if (linkFrom(template, copy)) return;
  const urlTemplate = isObject(template) ? (asText(template['urlTemplate']) ?? '') : '';
  throw BadDataError.of({
    message: `A link template of project '${copy.targetProject}' results in an invalid URL: '${urlTemplate}'. Correct the link templates of the project.`,
  });
};
