/** What stands in the way, beside the field that it belongs to. Keeps its place when it is empty. */
export const Refusals = ({ id, sentences }: { id: string; sentences: readonly string[] }) => (
  <div id={id} className="refusals" role="status">
    {sentences.map((sentence) => (
      <p key={sentence}>{sentence}</p>
    ))}
  </div>
);
