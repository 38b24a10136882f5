import { GraphQLError } from 'graphql';
import { bareId, sha256, type TrustedDocuments } from './trusted-documents.js';

/** Unvalidated parameters, from the body of a POST or the URL of a GET. */
export type Parameters = Readonly<Record<string, unknown>>;

/** `documentId` is from GraphQL over HTTP; Relay's network layers send the others. */
export const ID_PARAMETERS = ['documentId', 'doc_id', 'id'] as const;

const OPERATION_PARAMETERS = ['query', 'operationName', 'extensions', ...ID_PARAMETERS];
const OPERATION_PARAMETER = new RegExp(
  `(?:^\\??|&)(?:${OPERATION_PARAMETERS.join('|')})(?:[=&]|$)`,
);

/** Whether the URL of a GET requests an operation in any of these ways. */
export const hasOperationParameters = (search: string): boolean => OPERATION_PARAMETER.test(search);

const refusal = (code: string, message: string, hint?: string) =>
  new GraphQLError(message, {
    extensions: { code, ...(hint !== undefined && { hint }), http: { status: 400 } },
  });

const badForm = (message: string) => refusal('BAD_USER_INPUT', message);

type RequestedDocument = {
  id: string;
  /** Only Apollo Client and urql, which send hashes this way, interpret the message of the error. */
  isAutomatic: boolean;
};

const readPersistedQuery = (extensions: unknown): string | null => {
  const { persistedQuery } = (extensions ?? {}) as { persistedQuery?: unknown };
  if (persistedQuery === undefined || persistedQuery === null) return null;
  const { version, sha256Hash } = persistedQuery as Record<string, unknown>;
  if (version !== 1 || typeof sha256Hash !== 'string') {
    throw badForm(
      'extensions.persistedQuery must be an object with version 1 and a string sha256Hash.',
    );
  }
  return sha256Hash;
};

const readId = (parameters: Parameters): RequestedDocument | null => {
  const hash = readPersistedQuery(parameters['extensions']);
  const ids = ID_PARAMETERS.flatMap((name) => {
    const id = parameters[name] ?? null;
    if (id !== null && typeof id !== 'string') throw badForm(`${name} must be a string.`);
    return id ?? [];
  });
  const [id = null, ...others] = hash === null ? ids : [hash, ...ids];
  if (id === null) return null;
  if (others.some((other) => bareId(other) !== bareId(id))) {
    throw badForm('The request names two different documents. Send one ID.');
  }
  return { id, isAutomatic: hash !== null };
};

const unknown = (
  documents: TrustedDocuments | undefined,
  { id, isAutomatic }: RequestedDocument,
) => {
  if (documents?.only) {
    // Neither of the codes that make a client retry with the text, which would be rejected as well.
    return refusal(
      'PERSISTED_QUERY_NOT_IN_LIST',
      `'${id.slice(0, 100)}' is not a trusted document, and this gateway accepts no others. Add the document to the folder of trusted documents, or update the folder to your client's version.`,
    );
  }
  const text = 'Send the text of the operation as `query`';
  const [code, message, hint] = documents?.hasFolder
    ? [
        'PERSISTED_QUERY_NOT_FOUND',
        'PersistedQueryNotFound',
        `${text}, optionally with its hash, or add the document to the folder of trusted documents.`,
      ]
    : [
        'PERSISTED_QUERY_NOT_SUPPORTED',
        'PersistedQueryNotSupported',
        `${text}: this gateway has no trusted documents.`,
      ];
  return isAutomatic ? refusal(code, message, hint) : refusal(code, hint);
};

const differs = ({ id }: RequestedDocument) =>
  refusal(
    'PERSISTED_QUERY_HASH_MISMATCH',
    `The text differs from the document '${id.slice(0, 100)}'. Send only one of them, or the SHA-256 hash of exactly this text.`,
  );

const notTrusted = () =>
  refusal(
    'QUERY_NOT_IN_SAFELIST',
    'This gateway accepts only trusted documents, and this is not one of them. Add it to the folder of trusted documents, then send its hash or its name.',
  );

/** Replaces the hash, ID or name of a document with its text, and rejects what must not run. Validates nothing else. */
export const resolveDocument = (
  documents: TrustedDocuments | undefined,
  { documentId, doc_id, id, ...parameters }: Parameters,
): Parameters => {
  const requested = readId({ ...parameters, documentId, doc_id, id });
  const { query = null, operationName } = parameters;

  if (query !== null) {
    if (typeof query !== 'string' || (!requested && !documents?.only)) return parameters;
    const hash = sha256(query);
    const document = documents?.find(hash);
    if (
      requested &&
      bareId(requested.id) !== hash &&
      (!document || documents?.find(requested.id) !== document)
    ) {
      throw differs(requested);
    }
    if (documents?.only && !document) throw notTrusted();
    return parameters;
  }

  if (requested) {
    const document = documents?.find(requested.id);
    if (!document) throw unknown(documents, requested);
    const isName = document.names.includes(requested.id);
    return {
      ...parameters,
      query: document.text,
      ...(isName && { operationName: operationName ?? requested.id }),
    };
  }

  if (!documents?.hasFolder || typeof operationName !== 'string' || operationName === '')
    return parameters;
  const document = documents.find(operationName);
  if (!document) throw unknown(documents, { id: operationName, isAutomatic: false });
  return { ...parameters, query: document.text };
};
