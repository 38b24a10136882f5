import { Link } from 'wouter';
import { Time } from '../../ui/time.js';
import { EnabledState } from './enabled-state.js';
import type { Period } from './timeline-bar.js';

type Props = { environmentName: string; periods: readonly Period[] };

/** The periods of an environment as text, newest first. */
export const PeriodTable = ({ environmentName, periods }: Props) => (
  <div className="scroll-x">
    <table className="periods">
      <caption>{environmentName}</caption>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">From</th>
          <th scope="col">Until</th>
          <th scope="col">Changed by</th>
        </tr>
      </thead>
      <tbody>
        {periods.toReversed().map(({ state, from, before, startedBy, contradicted }) => (
          <tr key={`${from} ${before}`}>
            <td>
              <EnabledState state={state} />
            </td>
            <td>{from === null ? 'Before the event log' : <Time value={from} />}</td>
            <td>
              {before === null ? 'Now' : <Time value={before} />}
              {contradicted ? ' (ended without a recorded event)' : ''}
            </td>
            <td>
              {startedBy ? (
                <Link href={`/?event=${startedBy.id}`}>{startedBy.createdBy}</Link>
              ) : (
                'Not recorded'
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
