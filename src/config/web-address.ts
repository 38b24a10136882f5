import { z } from 'zod';

export const webAddress = z
  .string()
  .refine(
    (value) => /^https?:\/\//.test(value) && URL.canParse(value),
    'must be an address starting with http:// or https://',
  );
