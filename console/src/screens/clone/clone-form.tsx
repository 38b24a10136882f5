import { useMemo, useState } from 'react';
import { Button, Form, Heading, Input, Label, Switch, TextField } from 'react-aria-components';
import { useDocument } from '../../api/use-document.js';
import {
  type CloneAspect,
  type CloneFeatureInput,
  ClonePlanDocument,
} from '../../generated/documents.js';
import '../../styles/clone.css';
import { Loading } from '../../ui/loading.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { ShowQuery } from '../../ui/show-query.js';
import { useDebounced } from '../../ui/use-debounced.js';
import type { ShownFeature } from '../feature/feature-header.js';
import { CloneDone } from './clone-done.js';
import { ClonePreview } from './clone-preview.js';
import { ProjectChoice, type Target } from './project-choice.js';
import { sentencesAt } from './refusal.js';
import { Refusals } from './refusals.js';
import { useClone } from './use-clone.js';
import { useSuggestedName } from './use-suggested-name.js';

type Props = { feature: ShownFeature; targets: readonly Target[]; onClose: () => void };

/** Unleash refuses clones into projects with change requests. */
const takesClones = ({ environments }: Target): boolean =>
  environments.every(({ changeRequestsEnabled }) => !changeRequestsEnabled);

/** The project of the feature if possible, otherwise the first that takes clones. */
const firstTarget = ({ projectId }: ShownFeature, targets: readonly Target[]): Target | null => {
  const possible = targets.filter(takesClones);
  const ownFirst = [possible, targets].flatMap((list) => [
    list.find(({ id }) => id === projectId),
    list[0],
  ]);
  return ownFirst.find((target) => target !== undefined) ?? null;
};

/** Name, project and options of a copy, with a preview as they change. */
export const CloneForm = ({ feature, targets, onClose }: Props) => {
  const [target, setTarget] = useState(() => firstTarget(feature, targets));
  const suggested = useSuggestedName(feature.name, target?.featureNaming ?? null);
  /** Null until the reader types a name. */
  const [typedName, setName] = useState<string | null>(null);
  const [replaceGroupId, setReplaceGroupId] = useState(true);
  const [include, setInclude] = useState<readonly CloneAspect[]>([]);
  const newName = typedName ?? suggested;

  const input = useMemo(
    (): CloneFeatureInput => ({
      featureName: feature.name,
      newName: (newName ?? '').trim(),
      targetProjectId: target?.id ?? null,
      replaceGroupId,
      include: [...include],
    }),
    [feature.name, newName, target, replaceGroupId, include],
  );
  const settled = useDebounced(input, 300);
  const variables = useMemo(() => ({ input: settled }), [settled]);
  const preview = useDocument(ClonePlanDocument, variables, {
    isPaused: settled.newName === '' && typedName === null,
  });
  const { state, clone, reset } = useClone();

  if (state.kind === 'done') {
    return <CloneDone source={feature.name} feature={state.feature} onClose={onClose} />;
  }

  const plan = preview.data?.clonePlan;
  const isCurrent = input === settled && !preview.isLoading && plan?.newName === input.newName;
  const refusals = [
    ...(plan?.refusals ?? []),
    ...(state.kind === 'refused' ? [state.refusal] : []),
  ];
  const [ofName, ofProject, ofInclude, ofForm] = (
    ['name', 'project', 'include', 'form'] as const
  ).map((place) => sentencesAt(place, refusals)) as [string[], string[], string[], string[]];
  const mayClone = isCurrent && plan?.wouldSucceed === true && state.kind !== 'running';
  const toggle = (aspect: CloneAspect) => (isOn: boolean) => {
    reset();
    setInclude(isOn ? [...include, aspect] : include.filter((other) => other !== aspect));
  };

  return (
    <Form
      className="clone-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (mayClone) void clone(input);
      }}
    >
      <header className="screen-header">
        <Heading slot="title">Clone {feature.name}</Heading>
        <ShowQuery document={ClonePlanDocument} variables={variables} />
      </header>
      <div className="clone-columns">
        <div className="clone-fields">
          <TextField
            className="field"
            value={newName ?? ''}
            onChange={(name) => {
              reset();
              setName(name);
            }}
            isInvalid={ofName.length > 0}
            autoFocus
            autoComplete="off"
            spellCheck="false"
          >
            <Label>Name of the copy</Label>
            <Input aria-describedby="clone-name-refusals" />
          </TextField>
          <Refusals id="clone-name-refusals" sentences={ofName} />
          <ProjectChoice
            value={target}
            onChange={(chosen) => {
              reset();
              setTarget(chosen);
            }}
            isInvalid={ofProject.length > 0}
            describedBy="clone-project-refusals"
          />
          <Refusals id="clone-project-refusals" sentences={ofProject} />
          <Switch
            className="switch"
            isSelected={replaceGroupId}
            onChange={(isOn) => {
              reset();
              setReplaceGroupId(isOn);
            }}
          >
            <span className="switch-track" aria-hidden="true" />
            New rollout group
          </Switch>
          <p className="hint">
            {replaceGroupId
              ? 'Gradual rollouts of the copy select other users than the source.'
              : 'Gradual rollouts of the copy select the same users as the source.'}
          </p>
          {feature.tags.length === 0 ? null : (
            <Switch
              className="switch"
              isSelected={include.includes('TAGS')}
              onChange={toggle('TAGS')}
            >
              <span className="switch-track" aria-hidden="true" />
              Copy tags ({feature.tags.length})
            </Switch>
          )}
          {feature.favorite ? (
            <Switch
              className="switch"
              isSelected={include.includes('FAVORITE')}
              onChange={toggle('FAVORITE')}
            >
              <span className="switch-track" aria-hidden="true" />
              Make the copy a favorite
            </Switch>
          ) : null}
          <Refusals id="clone-include-refusals" sentences={ofInclude} />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
        <section className="clone-preview" aria-label="Preview" aria-busy={!isCurrent} tabIndex={0}>
          {preview.problem ? (
            <ProblemNotice problem={preview.problem} onRetry={preview.reload} />
          ) : null}
          {plan ? <ClonePreview plan={plan} /> : null}
          {!plan && !preview.problem ? <Loading what="the preview" /> : null}
        </section>
      </div>
      <Refusals id="clone-refusals" sentences={ofForm} />
      {state.kind === 'failed' ? <ProblemNotice problem={state.problem} /> : null}
      <footer className="dialog-actions">
        <p className="quiet" role="status">
          {statusText(refusals.length, isCurrent, state.kind === 'running')}
        </p>
        <Button className="button" onPress={onClose}>
          Cancel
        </Button>
        <Button className="button primary" type="submit" isDisabled={!mayClone}>
          Clone
        </Button>
      </footer>
    </Form>
  );
};

const statusText = (refused: number, isCurrent: boolean, isRunning: boolean): string => {
  if (isRunning) return 'Cloning …';
  if (!isCurrent) return 'Checking …';
  return refused > 0 ? 'Cannot be cloned like this.' : 'Ready to clone.';
};
