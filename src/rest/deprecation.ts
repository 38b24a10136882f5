export type Deprecation = {
  since: Date;
  /** When the path will be gone; unset while nobody has decided. */
  sunset?: Date;
};

/** What RFC 9745 and RFC 8594 have a deprecated path say, on its errors too; its links are those of `deprecationLinks`. */
export const deprecationHeaders = ({ since, sunset }: Deprecation): Record<string, string> => ({
  deprecation: `@${Math.floor(since.getTime() / 1000)}`,
  ...(sunset && { sunset: sunset.toUTCString() }),
});

export const deprecationLinks = (basePath: string): string[] => [
  `<${basePath}/api/admin/openapi.json>; rel="deprecation"; type="application/json"`,
  `<${basePath}/graphql>; rel="successor-version"`,
];
