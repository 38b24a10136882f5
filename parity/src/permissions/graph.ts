import type { Operation } from './operations.js';
import { at, type Decision, headersOf, idsOf, missingIn, sendWithRetries } from './send.js';
import type { Caller } from './world.js';
import { INTEGRATION_ID } from './write-world.js';

type Request = { query: string; variables: Record<string, unknown> };

const SEARCH = `query Search($filter: EventFilter) {
  events(first: 1000, filter: $filter) { nodes { id } totalCount }
}`;
const PROJECT = 'query Project($id: String!) { project(id: $id) { id } }';
const DELIVERIES = `query Deliveries($id: Int!) {
  integrationEvents(integrationId: $id, first: 50) { nodes { id } }
}`;
const PLAN = `query Plan($input: CloneFeatureInput!) {
  clonePlan(input: $input) { refusals { name message } }
}`;

const requestOf = (operation: Operation, name: string): Request => {
  switch (operation.kind) {
    case 'search events': {
      const { createdBy, type, projects, feature, query } = operation.filter;
      const filter = {
        ...(createdBy !== undefined && { createdByUserId: { is: createdBy } }),
        ...(type !== undefined && { type: { is: type.toUpperCase().replaceAll('-', '_') } }),
        ...(projects && { projectId: { anyOf: projects } }),
        ...(feature !== undefined && { featureName: { is: feature } }),
        ...(query !== undefined && { text: query }),
      };
      return { query: SEARCH, variables: { filter } };
    }
    case 'health report':
      return { query: PROJECT, variables: { id: operation.project } };
    case 'integration events':
      return { query: DELIVERIES, variables: { id: INTEGRATION_ID } };
    case 'clone': {
      const { target: targetProjectId, source } = operation;
      const input = { featureName: source.name, newName: name, targetProjectId };
      return { query: PLAN, variables: { input } };
    }
  }
};

const OUTCOMES: Readonly<Record<string, Decision['outcome']>> = {
  UNAUTHENTICATED: 'unauthenticated',
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'not found',
  NoAccessError: 'forbidden',
  NotFoundError: 'not found',
};

const refusedAs = (code: unknown, message: unknown, text: string): Decision => {
  const outcome = OUTCOMES[String(code)] ?? (`0 ${code}` as const);
  const permission = /You need ([A-Z_]+)/.exec(String(message))?.[1];
  const isMissing = outcome === 'forbidden' && permission !== undefined;
  return { outcome, ...(isMissing && { missing: missingIn(permission, String(message)) }), text };
};

const planOf = (result: unknown, text: string): Decision => {
  const refusals = at(result, 'refusals');
  const first = Array.isArray(refusals) ? refusals[0] : null;
  if (!first) return { outcome: 'allowed', text };
  return refusedAs(at(first, 'name'), at(first, 'message'), text);
};

const toDecision = (operation: Operation, json: unknown, text: string): Decision => {
  const errors = at(json, 'errors');
  if (Array.isArray(errors)) {
    const [error] = errors;
    return refusedAs(at(at(error, 'extensions'), 'code'), at(error, 'message'), text);
  }
  const data = at(json, 'data');
  switch (operation.kind) {
    case 'search events': {
      const events = at(data, 'events');
      const ids = idsOf(at(events, 'nodes')) ?? [];
      return { outcome: 'allowed', ids, total: Number(at(events, 'totalCount')), text };
    }
    case 'health report':
      return { outcome: at(data, 'project') === null ? 'not found' : 'allowed', text };
    case 'integration events': {
      const ids = idsOf(at(at(data, 'integrationEvents'), 'nodes')) ?? [];
      return { outcome: 'allowed', ids, text };
    }
    case 'clone':
      return planOf(at(data, 'clonePlan'), text);
  }
};

const SHOWN = 300;

/** Runs the operation over GraphQL; clones as plans. */
export const queryGraph = async (
  url: string,
  { credential }: Caller,
  operation: Operation,
  name: string,
): Promise<Decision> => {
  const body = Buffer.from(JSON.stringify(requestOf(operation, name)));
  const headers = {
    ...headersOf(credential),
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  const wire = { method: 'POST', path: '/graphql', headers, body };
  const { json, text } = await sendWithRetries(url, wire);
  return toDecision(operation, json, text.slice(0, SHOWN));
};
