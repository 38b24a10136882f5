import { type ChangeRequest, type Db, Prisma } from '../db.js';
import { ChangeRequestTable } from '../generated/tables.js';
import { columnsOf, readTableRows } from '../sql/tables.sql.js';
import { inVisibleProject } from '../sql/visible-projects.sql.js';
import type { Viewer } from '../viewer.js';

/** As in Unleash's feature search. */
const CLOSED_STATES = ['Applied', 'Cancelled', 'Rejected'];
/** Not submitted yet. */
const DRAFT = 'Draft';

/** Open change requests that are read for one feature. */
export const MAX_CHANGE_REQUESTS = 100;

export type ChangeRequestRow = ChangeRequest & { featureName: string; approvalCount: number };

/** Open change requests that would change these features, newest first. Drafts only for their author. */
export const readOpenChangeRequests = (
  db: Db,
  viewer: Viewer,
  names: readonly string[],
): Promise<ChangeRequestRow[]> =>
  readTableRows<ChangeRequest, { featureName: string; approvalCount: number }>(
    db,
    ChangeRequestTable,
    Prisma.sql`
    select * from (
      select ${columnsOf(ChangeRequestTable)}, touched.feature as "featureName", (
          select count(*) from change_request_approvals given where given.change_request_id = t.id
        ) as "approvalCount",
        row_number() over (partition by touched.feature order by t.id desc) as place
      from (
        select distinct change.feature, change.change_request_id
        from change_request_events change where change.feature = any(${names}::text[])
      ) touched
      join change_requests t on t.id = touched.change_request_id
      where t.state <> all(${CLOSED_STATES}::text[])
        and (t.state <> ${DRAFT} or t.created_by = ${viewer.userId})
        and ${inVisibleProject(viewer, Prisma.sql`t.project`)}
    ) found where place <= ${MAX_CHANGE_REQUESTS}::int order by place`,
  );
