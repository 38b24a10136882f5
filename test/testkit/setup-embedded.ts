import type { TestProject } from 'vitest/node';
import { packDemoTemplate, provideEmbeddedTemplate } from './embedded-template.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Files with packed embedded databases that have all tables. The project `contract` has no demo world. */
    embeddedTemplates: { empty: string; demo?: string };
  }
}

/** Once per run: embedded databases to copy from. */
export default async (project: TestProject) => {
  const empty = await provideEmbeddedTemplate();
  if (project.name === 'contract') {
    project.provide('embeddedTemplates', { empty });
    return;
  }
  const demo = await packDemoTemplate(empty);
  project.provide('embeddedTemplates', { empty, demo: demo.path });
  return demo.remove;
};
