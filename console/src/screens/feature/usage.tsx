type Counts = { yes: number; no: number };

const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** How often applications evaluated the feature in the last 7 days. */
export const Usage = ({ usage }: { usage: Counts | null }) => {
  if (usage === null) return <p className="quiet">Usage is not available.</p>;
  const total = usage.yes + usage.no;
  if (total === 0) return <p className="quiet">Not evaluated in the last 7 days.</p>;
  const share = usage.yes / total;
  return (
    <div className="usage">
      <div className="usage-bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </div>
      <p>
        <strong>{usage.yes.toLocaleString()}</strong> yes,{' '}
        <strong>{usage.no.toLocaleString()}</strong> no{' '}
        <span className="quiet">({PERCENT.format(share)} yes) in 7 days</span>
      </p>
    </div>
  );
};
