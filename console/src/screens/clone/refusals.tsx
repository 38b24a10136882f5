/** Reasons for a rejection, next to their field. Stays in the page when empty. */
export const Refusals = ({ id, sentences }: { id: string; sentences: readonly string[] }) => (
  <div id={id} className="refusals" role="status">
    {sentences.map((sentence) => (
      <p key={sentence}>{sentence}</p>
    ))}
  </div>
);
