"""The registry of codes: each stands here once, with its meaning and the exit it leads to."""

from enum import Enum

from nyl.core.exits import Exit


class Code(Enum):
    """A code of a diagnostic. `meaning` is what the reference of codes says of it."""

    meaning: str
    exit: Exit

    def __new__(cls, code: str, meaning: str, exit: Exit = Exit.ERROR) -> "Code":
        """A code with its meaning and the exit that an error of it leads to."""
        member = object.__new__(cls)
        member._value_ = code
        member.meaning = meaning
        member.exit = exit
        return member

    # The invocation
    INTERNAL = "NYL-INTERNAL", "nyl met something it did not expect; the traceback is in the named file."
    USAGE = "NYL-USAGE", "The command line is wrong."
    ACTION_INPUT = "NYL-ACTION-INPUT", "An input of the GitHub Action is not valid, or does not go with its command."

    # The project and its resources
    PROJECT_MISSING = (
        "NYL-PROJECT-MISSING",
        "No nyl.toml was found from the working directory upward, or no Git repository.",
    )
    CONFIG_INVALID = "NYL-CONFIG-INVALID", "nyl.toml is not valid."
    YAML_INVALID = "NYL-YAML-INVALID", "A file with nyl resources is not valid YAML or not valid text."
    RESOURCE_INVALID = "NYL-RESOURCE-INVALID", "A resource does not fit its schema."
    KIND_UNKNOWN = "NYL-KIND-UNKNOWN", "A resource has a kind or an API version that nothing installed offers."
    DRIVER_INVALID = (
        "NYL-DRIVER-INVALID",
        "An installed driver package cannot be loaded, or does not keep to the driver protocol.",
    )
    NAME_TAKEN = "NYL-NAME-TAKEN", "Two resources claim one name."
    RESOURCE_CLAIMED = "NYL-RESOURCE-CLAIMED", "Two units of one environment own one thing, such as a DeploymentTarget."
    TEMPLATE_INVALID = "NYL-TEMPLATE-INVALID", "A template does not render to a valid spec."
    ENVIRONMENT_UNKNOWN = "NYL-ENVIRONMENT-UNKNOWN", "No Environment of that name, or none that the selection matches."
    UNIT_UNKNOWN = "NYL-UNIT-UNKNOWN", "The environment has no unit of that name."
    REPOSITORY_UNKNOWN = "NYL-REPOSITORY-UNKNOWN", "A repositoryRef names no GitRepository of the project."
    GROUP_CONFLICT = "NYL-GROUP-CONFLICT", "Two EnvironmentGroups give one environment different defaults."
    URL_REFUSED = "NYL-URL-REFUSED", "A repository URL or ref name is refused, such as one with credentials in it."
    PATH_REFUSED = "NYL-PATH-REFUSED", "A path leaves its root, passes through a symlink, or is reserved."

    # References between units
    DEPENDENCY_CYCLE = "NYL-DEPENDENCY-CYCLE", "Units, or environments, depend on each other in a circle."
    DEPENDENCY_UNKNOWN = (
        "NYL-DEPENDENCY-UNKNOWN",
        "A reference or dependency names a unit that its environment does not select.",
    )
    REFERENCE_INVALID = "NYL-REFERENCE-INVALID", "A reference is malformed, or names an output that is not declared."
    REFERENCE_SENSITIVE = (
        "NYL-REFERENCE-SENSITIVE",
        "A reference names a sensitive output, which can never be referenced.",
    )
    ATTESTATIONS_UNSUPPORTED = (
        "NYL-ATTESTATIONS-UNSUPPORTED",
        "A reference asks for attestations, which units do not record.",
    )
    ADMISSION_DENIED = (
        "NYL-ADMISSION-DENIED",
        "A unit asks for a variable or secret that its Environment does not admit.",
    )

    # Inputs of Releases
    RELEASE_INPUTS = "NYL-RELEASE-INPUTS", "The inputs that a Release declares are not literal, or not valid."
    INPUT_BINDING = (
        "NYL-INPUT-BINDING",
        "A binding of a DeploymentTarget, or an override, is malformed, or names a Release or input that is not there.",
    )
    INPUT_MISSING = "NYL-INPUT-MISSING", "An input without a default has no value."
    INPUT_INVALID = "NYL-INPUT-INVALID", "The value of an input does not fit its declared type or enum."
    INPUT_UNRESOLVED = "NYL-INPUT-UNRESOLVED", "What a binding names cannot be read, or its pointer leads to nothing."
    INPUT_UNKNOWN_STATE = (
        "NYL-INPUT-UNKNOWN-STATE",
        "Offline nothing is known of the publication branch, so that inputs from it have their defaults.",
        Exit.OK,
    )
    STATE_PATH = (
        "NYL-STATE-PATH",
        "A state file lies where it cannot be published, or its carry file cannot be carried.",
    )

    # Source
    SOURCE_UNREACHABLE = (
        "NYL-SOURCE-UNREACHABLE",
        "A source commit is not reachable from the refs that it must be reachable from.",
    )
    SOURCE_SUPERSEDED = (
        "NYL-SOURCE-SUPERSEDED",
        "A run that CI repeats is of a commit older than what was reconciled since.",
    )
    SOURCE_MISSING = "NYL-SOURCE-MISSING", "A source revision or commit does not exist, or cannot be had."
    SOURCE_INPUT = (
        "NYL-SOURCE-INPUT",
        "A file that a unit reads is missing, a symlink, a submodule or a Git LFS pointer.",
    )
    SOURCE_LOCKS_STALE = "NYL-SOURCE-LOCKS-STALE", "A pinned commit is not at the head of its revision.", Exit.WAITING
    WORKTREE_DIRTY = "NYL-WORKTREE-DIRTY", "What is published must be committed, and the working tree has changes."
    WORKTREE_REFUSED = "NYL-WORKTREE-REFUSED", "The working tree cannot be captured, or a unit needs committed source."
    SOURCE_WORKTREE = "NYL-SOURCE-WORKTREE", "A run works at a snapshot of the working tree.", Exit.OK
    FINGERPRINT_FAILED = "NYL-FINGERPRINT-FAILED", "A unit's fingerprint command did not end with exit 0 in time."

    # Trees of Kubernetes manifests
    TARGET_UNKNOWN = "NYL-TARGET-UNKNOWN", "No DeploymentTarget of that name, or several and none was chosen."
    TARGET_OVERLAP = "NYL-TARGET-OVERLAP", "Two DeploymentTargets publish to places that lie in each other."
    CLUSTER_UNKNOWN = "NYL-CLUSTER-UNKNOWN", "A reference names a Cluster that the project does not have."
    ARGOCD_UNKNOWN = (
        "NYL-ARGOCD-UNKNOWN",
        "A reference names an ArgoCDInstance that the project does not have, or none of several is named.",
    )
    ARGOCD_PROJECT_UNKNOWN = (
        "NYL-ARGOCD-PROJECT-UNKNOWN",
        "A projectRef names an AppProjectDefinition that the project does not have.",
    )
    APPLICATION_TAKEN = "NYL-APPLICATION-TAKEN", "Two Releases have Applications of one name in one Argo CD."

    # Bundles and trees of manifests
    RELEASE_CHANGED = "NYL-RELEASE-CHANGED", "A template changes what is literal in a Release, or removes the Release."
    RELEASE_TAKEN = "NYL-RELEASE-TAKEN", "Two Releases of a target have one name in one group, or are one file."
    INCLUDE_INVALID = "NYL-INCLUDE-INVALID", "A Release includes a file that it may not, or none."
    RELEASE_MISSING = "NYL-RELEASE-MISSING", "A file that a command names is no source of the project, or no Release."
    OBJECT_MISSING = "NYL-OBJECT-MISSING", "A Release has no object of the kinds that were asked for."
    KUBECTL_UNAVAILABLE = "NYL-KUBECTL-UNAVAILABLE", "kubectl is missing or cannot be started."
    KUBECTL_FAILED = "NYL-KUBECTL-FAILED", "kubectl did not do what it was asked for, or not all of it."
    KUBECTL_WARNED = "NYL-KUBECTL-WARNED", "kubectl told something beside its result.", Exit.OK
    OBJECT_NAME = "NYL-OBJECT-NAME", "An object has no name that is known before it is created."
    OBJECT_TAKEN = "NYL-OBJECT-TAKEN", "Two documents of a target are one object."
    NAMESPACE_SCOPE = "NYL-NAMESPACE-SCOPE", "An object is in a namespace that its Release does not have."
    NAMESPACE_OWNER = "NYL-NAMESPACE-OWNER", "Who owns a Namespace of a target is not settled, or settled twice."
    KIND_SCOPE_UNKNOWN = (
        "NYL-KIND-SCOPE-UNKNOWN",
        "Nothing tells whether objects of a kind have a namespace, so that they stay as they are written.",
        Exit.OK,
    )
    TREE_SECRET = "NYL-TREE-SECRET", "A rendered Secret holds its data in plain text.", Exit.OK

    # Charts and remote manifests
    CHART_REFERENCE = "NYL-CHART-REFERENCE", "A chart is referred to in a form that means nothing."
    CHART_MISSING = "NYL-CHART-MISSING", "What a reference names is no chart, or is not there."
    CHART_UNPINNED = "NYL-CHART-UNPINNED", "A remote chart is not pinned to a version, tag or commit."
    CHART_FAILED = "NYL-CHART-FAILED", "helm could not render a chart."
    CHART_UNSTABLE = (
        "NYL-CHART-UNSTABLE",
        "A chart renders differently each time: it uses random values, certificates or the time.",
    )
    HELM_UNAVAILABLE = "NYL-HELM-UNAVAILABLE", "helm is missing or cannot be started."
    EXPANSION_DEPTH = (
        "NYL-EXPANSION-DEPTH",
        "Charts and components expand to each other more than ten levels deep, or to too many.",
    )
    DOWNLOAD_FAILED = "NYL-DOWNLOAD-FAILED", "A remote chart or manifest could not be fetched."
    DOWNLOAD_CHANGED = "NYL-DOWNLOAD-CHANGED", "A remote chart or manifest is not what its digest says."
    VENDOR_DISABLED = "NYL-VENDOR-DISABLED", "Nothing is vendored: nyl.toml does not ask for it."
    VENDOR_IGNORED = "NYL-VENDOR-IGNORED", "Git ignores the vendor folder, so that no commit would hold it."
    VENDOR_MISSING = "NYL-VENDOR-MISSING", "Something that comes from elsewhere is not in the vendor folder."
    VENDOR_CORRUPT = "NYL-VENDOR-CORRUPT", "The vendor folder is damaged, or of a version that this nyl does not know."
    VENDOR_STALE = (
        "NYL-VENDOR-STALE",
        "The vendor folder does not hold just what rendering needs from elsewhere.",
        Exit.WAITING,
    )

    # Git
    GIT_UNAVAILABLE = "NYL-GIT-UNAVAILABLE", "git is missing, too old, or does not trust the repository."
    GIT_FAILED = "NYL-GIT-FAILED", "A git command failed."
    REMOTE_UNAVAILABLE = "NYL-REMOTE-UNAVAILABLE", "A remote repository did not answer or refused access."
    PUSH_REFUSED = "NYL-PUSH-REFUSED", "A remote refused to update a ref for good."
    PUSH_INPUT = "NYL-PUSH-INPUT", "A pre-push hook was not told what is pushed, or of objects that are not here."
    PUSH_OF_STATE = "NYL-PUSH-OF-STATE", "A push by hand would change a ref that only nyl writes."
    HOOK_REFUSED = "NYL-HOOK-REFUSED", "The pre-push hook cannot be put where Git would run it."

    # State
    STATE_MISSING = "NYL-STATE-MISSING", "The environment's state was never initialised at the configured place."
    STATE_EXISTS = "NYL-STATE-EXISTS", "The environment's state is initialised already."
    STATE_CORRUPT = "NYL-STATE-CORRUPT", "A state document is damaged, misplaced or of another environment."
    STATE_VERSION = "NYL-STATE-VERSION", "A state document is of a version that this nyl does not know."
    STATE_DIVERGED = "NYL-STATE-DIVERGED", "The history of a state ref was rewritten."
    STATE_CONTENDED = "NYL-STATE-CONTENDED", "Other writers moved the state refs again and again."
    STATE_MOVED = "NYL-STATE-MOVED", "The environment's state was moved to another place."
    STATE_UNPUBLISHED = "NYL-STATE-UNPUBLISHED", "The local copy of the state holds work that is not published."
    STATE_IN_USE = "NYL-STATE-IN-USE", "The unit or state still has an incarnation, so that it cannot be dropped."
    COMMIT_IDENTITY_MISSING = "NYL-COMMIT-IDENTITY-MISSING", "Nobody to author state commits was named."

    # Runs
    LEASE_HELD = "NYL-LEASE-HELD", "Another run holds the environment.", Exit.WAITING
    LEASE_LOST = (
        "NYL-LEASE-LOST",
        "The run no longer holds its lease; it wrote nothing to the state refs.",
        Exit.UNCERTAIN,
    )
    LEASE_BROKEN = (
        "NYL-LEASE-BROKEN",
        "The lease was broken, and the run that held it is not imported yet.",
        Exit.WAITING,
    )
    LEASE_UNBREAKABLE = "NYL-LEASE-UNBREAKABLE", "No run holds the lease, or it was broken already."
    RUN_SUPERSEDED = (
        "NYL-RUN-SUPERSEDED",
        "A dead run recorded a result for other inputs than the unit has now.",
        Exit.OK,
    )
    RUN_LATE_CHECKPOINT = (
        "NYL-RUN-LATE-CHECKPOINT",
        "A run that lost its lease recorded a result after its unit was marked uncertain.",
        Exit.OK,
    )
    RUN_UNIMPORTED = (
        "NYL-RUN-UNIMPORTED",
        "A run that died or was cancelled left results that are not imported yet.",
        Exit.WAITING,
    )
    RESULTS_UNRECORDED = (
        "NYL-RESULTS-UNRECORDED",
        "Units ran, and no push could record how they ended.",
        Exit.UNCERTAIN,
    )
    RUN_FOREIGN = "NYL-RUN-FOREIGN", "A run beside the environment's lease worked on another state."
    RUN_CANCELLED = "NYL-RUN-CANCELLED", "The run was cancelled.", Exit.UNCERTAIN
    RUN_STOPPED = "NYL-RUN-STOPPED", "--fail-fast stopped the run.", Exit.OK
    EXEC_REFUSED = "NYL-EXEC-REFUSED", "The unit's own tool may not work on the unit now."
    EXEC_FAILED = "NYL-EXEC-FAILED", "The unit's own tool did not start, or did not end well.", Exit.FAILED
    RECOVER_REFUSED = "NYL-RECOVER-REFUSED", "The decision about the unit cannot be recorded."
    UNIT_HELD = "NYL-UNIT-HELD", "A held unit keeps changes or a teardown from applying.", Exit.WAITING
    UNIT_DRIFTED = "NYL-UNIT-DRIFTED", "A unit's latest verification found drift.", Exit.WAITING
    UNIT_FAILED = "NYL-UNIT-FAILED", "A unit's execution failed.", Exit.FAILED
    UNIT_UNCERTAIN = "NYL-UNIT-UNCERTAIN", "A unit's execution may or may not have had effects.", Exit.UNCERTAIN
    UNIT_OUTPUT = "NYL-UNIT-OUTPUT", "A unit wrote an output that it does not declare."
    UNIT_LOG = "NYL-UNIT-LOG", "A unit's log file could not be opened or written; the unit's result stands."
    PLAN_UNITS_LEAVING = "NYL-PLAN-UNITS-LEAVING", "Units leave the ownership set of the environment.", Exit.WAITING
    UNIT_KIND_CHANGE = (
        "NYL-UNIT-KIND-CHANGE",
        "A unit changed its kind; the old incarnation is deleting.",
        Exit.WAITING,
    )
    UNIT_RELEASED = "NYL-UNIT-RELEASED", "A unit's resources were left in place.", Exit.OK
    TEARDOWN_PENDING = (
        "NYL-TEARDOWN-PENDING",
        "A teardown waits: for --allow-teardown, for the deleting units that depend on it, or for an approval.",
        Exit.WAITING,
    )
    TEARDOWN_HAS_DEPENDENTS = (
        "NYL-TEARDOWN-HAS-DEPENDENTS",
        "Retained tombstones, or units of other environments, use the unit.",
        Exit.WAITING,
    )
    TEARDOWN_WAITING = "NYL-TEARDOWN-WAITING", "A unit that depends on it waits in its own teardown.", Exit.WAITING
    TEARDOWN_INCOMPLETE = (
        "NYL-TEARDOWN-INCOMPLETE",
        "The teardown cannot complete, or completed without a claim of removal.",
        Exit.WAITING,
    )
    TEARDOWN_UNSUPPORTED = "NYL-TEARDOWN-UNSUPPORTED", "The kind of the unit cannot tear it down."
    APPROVAL_MISSING = "NYL-APPROVAL-MISSING", "A unit waits for an approval.", Exit.WAITING
    APPROVAL_INVALID = (
        "NYL-APPROVAL-INVALID",
        "An approval names a unit or digest that cannot be approved, or who approved could not be found out.",
    )
    PLAN_FAILED = "NYL-PLAN-FAILED", "What a unit would change could not be planned."
    APPROVERS_UNKNOWN = (
        "NYL-APPROVERS-UNKNOWN",
        "GitHub could not tell who approved the run, so that the approval is recorded without a name.",
        Exit.OK,
    )
    VERIFY_DRIFT = "NYL-VERIFY-DRIFT", "What a receipt describes does not hold any more.", Exit.FAILED
    VERIFY_FAILED = "NYL-VERIFY-FAILED", "A driver could not tell whether what a receipt describes still holds."
    SECRET_UNAVAILABLE = "NYL-SECRET-UNAVAILABLE", "A secret could not be read from the secrets provider."

    # What is read and written beside state
    REPORT_UNWRITABLE = "NYL-REPORT-UNWRITABLE", "A report file could not be written."
    VALUE_UNRESOLVED = "NYL-VALUE-UNRESOLVED", "The output or artifact does not resolve to a value now."
    FILE_EXISTS = "NYL-FILE-EXISTS", "A file that nyl would write is there already."
    FILE_INACCESSIBLE = "NYL-FILE-INACCESSIBLE", "A file or folder could not be read or written."

    # GitHub
    GITHUB_CONTEXT = (
        "NYL-GITHUB-CONTEXT",
        "Nothing tells which repository, pull request or token is meant at GitHub.",
    )
    GITHUB_REFUSED = (
        "NYL-GITHUB-REFUSED",
        "GitHub refused a request: the token lacks a permission, or what was named does not exist.",
    )
    GITHUB_UNAVAILABLE = (
        "NYL-GITHUB-UNAVAILABLE",
        "GitHub gave no clear answer, or limits the token's requests for longer than nyl waits.",
    )
    COMMENT_INVALID = "NYL-COMMENT-INVALID", "A comment's key or body is empty, too long or no text."
    COMMENT_DUPLICATE = "NYL-COMMENT-DUPLICATE", "A pull request has several comments of one key."
    CHECKOUT_STALE = (
        "NYL-CHECKOUT-STALE",
        "What is checked out is not the head of the pull request that the run is about.",
    )
    CHECKOUT_BEHIND = (
        "NYL-CHECKOUT-BEHIND",
        "What is checked out of a pull request lacks changes that its base has by now.",
    )
    CHECKOUT_UNTRUSTED = (
        "NYL-CHECKOUT-UNTRUSTED",
        "A commit of a fork is checked out in a run that has the base's token and secrets.",
    )
    RUN_OWN_PUSH = "NYL-RUN-OWN-PUSH", "The run was started by nyl's own push, and did nothing.", Exit.OK

    # Trees of Kubernetes manifests
    MANIFEST_INVALID = "NYL-MANIFEST-INVALID", "A rendered document is no Kubernetes object."
    PATH_COLLISION = (
        "NYL-PATH-COLLISION",
        "Two files or folders of a tree have one path, or paths that some file systems take for one.",
    )
    OVERRIDE_REFUSED = "NYL-OVERRIDE-REFUSED", "A Release overrides what its ApplicationGroup does not let it."
    CATALOG_CONFLICT = "NYL-CATALOG-CONFLICT", "One object of a catalog would have two contents."
    TREE_INDEX = (
        "NYL-TREE-INDEX",
        "The ownership index of a tree is damaged, or of a version that this nyl does not know.",
    )
    TREE_EDITED = "NYL-TREE-EDITED", "Files that nyl owns in a tree were changed or removed outside nyl."
    TREE_UNOWNED = "NYL-TREE-UNOWNED", "A tree needs a path that holds a file which nyl does not own."
    TREE_FOREIGN = "NYL-TREE-FOREIGN", "A folder holds the tree of another DeploymentTarget."
    TREE_OWNED = "NYL-TREE-OWNED", "A published tree is owned by a unit, which alone may change it."
    TREE_STALE = "NYL-TREE-STALE", "A written tree is not what the source renders.", Exit.WAITING
    PUBLISH_OUTPACED = "NYL-PUBLISH-OUTPACED", "Another writer moved the publication branch meanwhile."
    PUBLISH_UNKNOWN = "NYL-PUBLISH-UNKNOWN", "A remote fell silent while a publication was pushed to it."
