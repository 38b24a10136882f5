export * from './generated/documents.js';
