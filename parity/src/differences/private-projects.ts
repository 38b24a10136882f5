import type { Difference } from '../differences.js';
import type { Exchange, Settled } from '../exchange.js';
import type { WireRequest } from '../http.js';
import { partsOf, textParam, withParams } from '../query.js';
import { type Body, isBody, isError, type View } from '../view.js';
import { accept, listIn } from './settle.js';

const PAGE = 50;

const visibleTo = ({ world, request }: Exchange): readonly string[] | undefined =>
  world.visibleProjects[request.signedIn ?? request.caller ?? ''];

/** The visible projects among those of the filter; all visible projects without a filter. */
const narrowed = (wire: WireRequest, visible: readonly string[]): string[] => {
  const value = /^(?:IS|IS_ANY_OF):(.+)$/s.exec(textParam(wire, 'project') ?? '')?.[1];
  const requested = value?.split(',').map((value) => value.trim());
  return visible.filter((project) => !requested || requested.includes(project));
};

const emptyPage = (view: View): View => ({ ...view, body: { events: [], total: 0 } });

/** Resends the search with a filter for the visible projects. */
const settleSearch = async (
  { upstream, wire, sendToUpstream }: Exchange,
  visible: readonly string[],
): Promise<Settled | undefined> => {
  if (upstream.status !== 200) return undefined;
  const sendRequest = async (sent: WireRequest): Promise<View> => {
    const projects = narrowed(sent, visible);
    if (projects.length === 0) return emptyPage(await sendToUpstream(sent));
    return sendToUpstream(withParams(sent, { project: `IS_ANY_OF:${projects.join()}` }));
  };
  return { upstream: await sendRequest(wire), sendToUpstream: sendRequest };
};

const isVisibleDelivery = (delivery: unknown, visible: readonly string[]) =>
  isBody(delivery) &&
  isBody(delivery['event']) &&
  visible.includes(String(delivery['event']['project']));

/** All deliveries that Unleash returns, without those of hidden projects. */
const settleDeliveries = async (
  { upstream, wire, sendToUpstream }: Exchange,
  visible: readonly string[],
): Promise<Settled | undefined> => {
  if (upstream.status !== 200) return undefined;
  const visibleDeliveries: unknown[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await sendToUpstream(withParams(wire, { limit: PAGE, offset }));
    const deliveries = listIn(page, 'integrationEvents') ?? [];
    visibleDeliveries.push(
      ...deliveries.filter((delivery) => isVisibleDelivery(delivery, visible)),
    );
    if (deliveries.length < PAGE) break;
  }
  const offset = Number(textParam(wire, 'offset') ?? 0);
  const limit = Number(textParam(wire, 'limit') ?? PAGE);
  const integrationEvents = visibleDeliveries.slice(offset, offset + limit);
  return { upstream: { ...upstream, body: { ...(upstream.body as Body), integrationEvents } } };
};

const isHidden = (project: string | null | undefined, visible: readonly string[]) =>
  project === null || project === undefined || !visible.includes(project);

/** Whether the source or the target of a clone is in a project that is hidden from the caller. */
const isHiddenClone = (
  { request: { clone, source }, world }: Exchange,
  visible: readonly string[],
) =>
  clone !== undefined &&
  (isHidden(clone.project, visible) ||
    isHidden(source ? (source.project ?? 'default') : world.projectOf[clone.source], visible));

/** Private projects, which only Enterprise hides. Compares the responses without them. */
export const PRIVATE_PROJECTS: readonly Difference[] = [
  {
    id: 'D-AUTH-8',
    settle: (exchange) => {
      const visible = visibleTo(exchange);
      if (!visible) return undefined;
      const { operation } = exchange.request;
      if (operation === 'search events') return settleSearch(exchange, visible);
      if (operation === 'integration events') return settleDeliveries(exchange, visible);
      if (!isError(exchange.gateway, 404, 'NotFoundError')) return undefined;
      const isConcerned =
        operation === 'clone'
          ? isHiddenClone(exchange, visible)
          : isHidden(decodeURIComponent(partsOf(exchange.wire)[3] ?? ''), visible);
      return isConcerned ? accept(exchange) : undefined;
    },
  },
];
