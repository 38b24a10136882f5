import { ConfigError } from '../config/config.js';
import { LayoutError } from '../data/layout/layout-error.js';
import { OptionError } from '../export/option-error.js';
import { CommandError } from './command-error.js';
import { OutputError } from './export/sink.js';
import { GatewayError } from './gateway/gateway-error.js';

const EXPECTED = [CommandError, ConfigError, GatewayError, LayoutError, OptionError, OutputError];

/** The message of an expected error, else the stack trace. */
export const formatError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const isExpected = EXPECTED.some((kind) => error instanceof kind);
  return isExpected ? error.message : (error.stack ?? error.message);
};
