import { useMemo } from 'react';
import { Link, useParams } from 'wouter';
import { useDocument } from '../../api/use-document.js';
import { ProjectDetailsDocument } from '../../generated/documents.js';
import { Loading } from '../../ui/loading.js';
import { Missing } from '../../ui/not-found.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { ShowQuery } from '../../ui/show-query.js';
import { Time } from '../../ui/time.js';
import { useTitle } from '../../ui/use-title.js';
import { ActivityCard } from './activity-card.js';
import { EnvironmentsCard } from './environments-card.js';
import { FeatureList } from './feature-list.js';
import { HealthCard } from './health-card.js';
import { modeLabel, modeSentence } from './mode.js';
import { PeopleCard } from './people-card.js';
import type { ProjectDetails } from './project-details.js';
import { TypeCounts } from './type-counts.js';
import '../../styles/projects.css';

const Facts = ({ project }: { project: ProjectDetails }) => {
  const { archived, archivedAt, createdAt, mode, featureLimit } = project;
  return (
    <p className="quiet">
      {archived && archivedAt ? (
        <>
          Archived <Time value={archivedAt} isRelative />.{' '}
        </>
      ) : null}
      {createdAt === null ? null : (
        <>
          Created <Time value={createdAt} isRelative />.{' '}
        </>
      )}
      {modeSentence(mode)}
      {featureLimit === null ? '' : ` At most ${featureLimit.toLocaleString()} features.`}
    </p>
  );
};

const UnknownProject = ({ id }: { id: string }) => (
  <Missing title="Project not found">
    <p>The project “{id}” does not exist, or is not visible to you.</p>
    <p>
      Go to <Link href="/projects">all projects</Link>.
    </p>
  </Missing>
);

/** One project: its health, activity, members, environments and features. */
const ProjectScreen = () => {
  const { id = '' } = useParams<{ id: string }>();
  const variables = useMemo(() => ({ id }), [id]);
  const { data, problem, reload } = useDocument(ProjectDetailsDocument, variables);
  const project = data?.project;
  useTitle(project?.name ?? id);
  if (data && !project) return <UnknownProject id={id} />;
  const label = project ? modeLabel(project.mode) : null;
  return (
    <div className="list-screen">
      <header className="screen-header">
        <h1>{project?.name ?? id}</h1>
        {project ? <span className="chip">{project.id}</span> : null}
        {label === null ? null : <span className="chip">{label}</span>}
        {project?.archived ? <span className="chip">Archived</span> : null}
        <span className="end">
          <ShowQuery document={ProjectDetailsDocument} variables={variables} />
          <Link className="button" href={`/?${new URLSearchParams({ project: id })}`}>
            Events of this project
          </Link>
        </span>
      </header>
      {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : null}
      {data === undefined && !problem ? <Loading what="the project" rows={8} /> : null}
      {project ? (
        <>
          <div>
            {project.description ? <p className="description">{project.description}</p> : null}
            <Facts project={project} />
          </div>
          <div className="cards">
            <HealthCard project={project} />
            <ActivityCard project={project} />
            <TypeCounts project={project} />
            <EnvironmentsCard project={project} />
            <PeopleCard project={project} />
          </div>
          <FeatureList project={project} />
        </>
      ) : null}
    </div>
  );
};

export default ProjectScreen;
