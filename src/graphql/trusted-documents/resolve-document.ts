import { GraphQLError } from 'graphql';
import { bareId, sha256, type TrustedDocuments } from './trusted-documents.js';

/** What a caller sends, in the body of a POST or the address of a GET; nothing of it is certain yet. */
export type Parameters = Readonly<Record<string, unknown>>;

/** `documentId` is that of GraphQL over HTTP, the others are what Relay's network layers send. */
export const ID_PARAMETERS = ['documentId', 'doc_id', 'id'] as const;

const OPERATION_PARAMETERS = ['query', 'operationName', 'extensions', ...ID_PARAMETERS];

/** Whether the address of a GET asks for an operation in any of these ways. */
export const asksForOperation = (search: string): boolean => {
  const parameters = new URLSearchParams(search);
  return OPERATION_PARAMETERS.some((name) => parameters.has(name));
};

const refusal = (code: string, message: string, hint?: string) =>
  new GraphQLError(message, {
    extensions: { code, ...(hint !== undefined && { hint }), http: { status: 400 } },
  });

const badForm = (message: string) => refusal('BAD_USER_INPUT', message);

type Asked = {
  id: string;
  /** Apollo Client and urql read the message of an error, and only these two know what it means. */
  isAutomatic: boolean;
};

const readPersistedQuery = (extensions: unknown): string | null => {
  const { persistedQuery } = (extensions ?? {}) as { persistedQuery?: unknown };
  if (persistedQuery === undefined || persistedQuery === null) return null;
  const { version, sha256Hash } = persistedQuery as Record<string, unknown>;
  if (version !== 1 || typeof sha256Hash !== 'string') {
    throw badForm(
      'extensions.persistedQuery must be an object with version 1 and a text as sha256Hash.',
    );
  }
  return sha256Hash;
};

const readId = (parameters: Parameters): Asked | null => {
  const hash = readPersistedQuery(parameters['extensions']);
  const ids = ID_PARAMETERS.flatMap((name) => {
    const id = parameters[name] ?? null;
    if (id !== null && typeof id !== 'string') throw badForm(`${name} must be a text.`);
    return id ?? [];
  });
  const [id = null, ...others] = hash === null ? ids : [hash, ...ids];
  if (id === null) return null;
  if (others.some((other) => bareId(other) !== bareId(id))) {
    throw badForm('The request names two different documents. Send one id.');
  }
  return { id, isAutomatic: hash !== null };
};

const unknown = (documents: TrustedDocuments | undefined, { id, isAutomatic }: Asked) => {
  if (documents?.only) {
    // Neither of the codes that make a client repeat the request with its text, which would be refused as well.
    return refusal(
      'PERSISTED_QUERY_NOT_IN_LIST',
      `No trusted document goes by '${id.slice(0, 100)}', and this gateway runs no others. Have the document added to its folder, or bring that up to date with your client.`,
    );
  }
  const text = 'Send the text of the operation as `query`';
  const [code, message, hint] = documents
    ? [
        'PERSISTED_QUERY_NOT_FOUND',
        'PersistedQueryNotFound',
        `${text}, with its hash if you like, or have the document added to the folder of trusted documents.`,
      ]
    : [
        'PERSISTED_QUERY_NOT_SUPPORTED',
        'PersistedQueryNotSupported',
        `${text}: this gateway has no trusted documents.`,
      ];
  return isAutomatic ? refusal(code, message, hint) : refusal(code, hint);
};

const differs = ({ id }: Asked) =>
  refusal(
    'PERSISTED_QUERY_HASH_MISMATCH',
    `The text is not the document that goes by '${id.slice(0, 100)}'. Send the one or the other, or the SHA-256 of the text as it is sent.`,
  );

const notTrusted = () =>
  refusal(
    'QUERY_NOT_IN_SAFELIST',
    'This gateway runs trusted documents only, and this text is none of them. Have it added to the folder of trusted documents, then send its hash or its name.',
  );

/**
 * Turns a request for a document by hash, id or name into one with its text, and refuses what may not run. Whatever is
 * wrong with the request beyond that is left as it is.
 */
export const resolveDocument = (
  documents: TrustedDocuments | undefined,
  { documentId, doc_id, id, ...parameters }: Parameters,
): Parameters => {
  const asked = readId({ ...parameters, documentId, doc_id, id });
  const { query = null, operationName } = parameters;

  if (query !== null) {
    if (typeof query !== 'string' || (!asked && !documents?.only)) return parameters;
    const hash = sha256(query);
    const document = documents?.find(hash);
    if (
      asked &&
      bareId(asked.id) !== hash &&
      (!document || documents?.find(asked.id) !== document)
    ) {
      throw differs(asked);
    }
    if (documents?.only && !document) throw notTrusted();
    return parameters;
  }

  if (asked) {
    const document = documents?.find(asked.id);
    if (!document) throw unknown(documents, asked);
    const isName = document.names.includes(asked.id);
    return {
      ...parameters,
      query: document.text,
      ...(isName && { operationName: operationName ?? asked.id }),
    };
  }

  if (!documents || typeof operationName !== 'string' || operationName === '') return parameters;
  const document = documents.find(operationName);
  if (!document) throw unknown(documents, { id: operationName, isAutomatic: false });
  return { ...parameters, query: document.text };
};
