//! The command lines that are known, one table a purpose: entries between commas, a tool family a line or so.
//! How an entry is read is said in `purpose.rs`.

/// Runs tests.
pub(super) const TEST: &str = "
    pytest, py.test, unittest, nose2, tox, nox, behave, python manage.py test, python setup.py test,
    python ... test_*, python ... *_test.py, django-admin test, hatch test, hatch run test*, doctest, jest,
    vitest, mocha, ava, jasmine, karma start, playwright test, cypress run, wdio, react-scripts test,
    ng test, nx test, nx run-many ... test, turbo test, turbo run test*, lerna run test*, deno test,
    bun test, node --test, npm test, npm t, npm run test*, npm run-script test*, pnpm test*, pnpm t,
    pnpm run test*, yarn test*, yarn run test*, bun run test*, cargo test, cargo t, cargo nextest run,
    cargo nextest r, cargo llvm-cov, cargo tarpaulin, cargo miri test, cargo hack test, go test, gotestsum,
    ginkgo, richgo test, mvn ... test, mvn ... verify, mvn ... install, mvn ... package, mvnw ... test,
    mvnw ... verify, mvnw ... install, mvnw ... package, gradle ... *test, gradle ... test*,
    gradle ... check, gradle ... build, gradlew ... *test, gradlew ... *Test, gradlew ... test*,
    gradlew ... check, gradlew ... build, gradle ... *Test, sbt ... test*, lein test, ant ... test,
    bazel test, bazelisk test, buck test, buck2 test, pants test, mill ... test, dotnet test,
    vstest.console, nunit3-console, xunit, ctest, meson test, ninja ... test, ninja ... check,
    make ... test*, make ... *-test, make ... unittest*, make ... check, gmake ... test*, gmake ... check, just ... test*,
    just ... *-test, task ... test*, invoke ... test*, rake ... test*, rake ... spec*, rspec, rails test*,
    minitest, cucumber, phpunit, pest, paratest, codecept run, composer test*, composer run test*,
    php artisan test, artisan test, swift test, xcodebuild ... test, flutter test, dart test, mix test, rebar3 eunit,
    rebar3 ct, zig test, zig build test, stack test, cabal test, cabal ... test, dune test, dune runtest,
    bats, busted, shellspec, Rscript ... test*, forge test, hardhat test, test.sh, tests.sh, run_tests.sh,
    run-tests.sh, runtests.sh, runtests.py, run_tests.py, gh pr checks, gh run watch, gh run view,
";

/// Checks types, or compiles.
pub(super) const TYPE: &str = "
    mypy, dmypy run, dmypy check, pyright, basedpyright, pytype, pyre, pyre check, ty check, pyrefly check,
    python ... compileall, compileall, py_compile, tsc, vue-tsc, tsgo, flow, flow check, svelte-check,
    astro check, deno check, glint, ng build, npm run type*, npm run check-types*, npm run check:types*,
    npm run tsc*, npm run build*, pnpm type*, pnpm run type*, pnpm tsc*, pnpm build*, pnpm run build*,
    yarn type*, yarn run type*, yarn tsc*, yarn build*, yarn run build*, bun run type*, bun run build*,
    turbo ... type*, nx ... type*, cargo check, cargo c, cargo build, cargo b, cargo clippy, cargo rustc,
    cargo hack check, rustc, go build, go vet, go install, javac, kotlinc, scalac, mvn ... compile,
    mvn ... test-compile, mvn ... test, mvn ... package, mvn ... verify, mvn ... install, mvnw ... compile,
    mvnw ... test, mvnw ... package, mvnw ... verify, mvnw ... install, gradle ... compile*,
    gradle ... build, gradle ... assemble, gradle ... check, gradle ... test*, gradlew ... compile*,
    gradlew ... build, gradlew ... assemble, gradlew ... check, gradlew ... test*, sbt ... compile,
    sbt ... test*, bazel build, bazel test, dotnet build, dotnet test, msbuild, csc, gcc, g++, clang,
    clang++, cc, cmake --build, ninja, make, make ... all, make ... build, make ... type*, just ... type*,
    just ... build*, task ... type*, meson compile, phpstan, psalm, phan, php -l, srb tc, steep check,
    ruby -c, swift build, xcodebuild ... build, dart analyze, flutter analyze, mix compile, mix dialyzer,
    zig build, stack build, cabal build, dune build, bash -n, node --check, node -c,
";

/// Lints, or checks the form.
pub(super) const LINT: &str = "
    ruff, flake8, pylint, pycodestyle, pydocstyle, pyflakes, bandit, black --check, black --diff,
    isort --check*, isort -c, vulture, pre-commit run, prek run, eslint, biome check, biome lint, biome ci,
    oxlint, tslint, standard, xo, stylelint, prettier --check, prettier -c, prettier --list-different,
    next lint, deno lint, deno fmt --check, ng lint, npm run lint*, pnpm lint*, pnpm run lint*, yarn lint*,
    yarn run lint*, bun run lint*, turbo ... lint*, nx ... lint*, cargo clippy, cargo fmt --check,
    rustfmt --check, cargo deny check, cargo machete, golangci-lint, golangci-lint run, staticcheck, go vet,
    gofmt -l, gofmt -d, revive, golint, gosec, mvn ... checkstyle*, mvn ... spotless*, mvn ... spotbugs*,
    mvn ... pmd*, mvnw ... checkstyle*, mvnw ... spotless*, mvnw ... spotbugs*, gradle ... *lint*,
    gradle ... checkstyle*, gradle ... spotless*, gradle ... detekt*, gradle ... spotbugs*,
    gradle ... check, gradlew ... *lint*, gradlew ... checkstyle*, gradlew ... spotless*,
    gradlew ... detekt*, gradlew ... spotbugs*, gradlew ... check, checkstyle, ktlint, detekt,
    scalafmt --check, scalastyle, dotnet format --verify-no-changes, dotnet format --verify*, clang-tidy,
    cppcheck, clang-format --dry-run, clang-format -n, cpplint, rubocop, standardrb, reek, phpcs,
    php-cs-fixer, pint --test, phpmd, phpstan, composer lint*, shellcheck, hadolint, yamllint,
    markdownlint*, actionlint, ansible-lint, tflint, terraform validate, terraform fmt -check,
    sqlfluff lint, buf lint, swiftlint, swiftformat --lint, mix credo, mix format --check-formatted,
    dart analyze, flutter analyze, hlint, kubeval, kubeconform, helm lint, make ... *lint*, just ... *lint*,
    task ... *lint*, tox ... lint*, nox ... lint*, invoke ... lint*, vale, typos, codespell,
";

/// Measures coverage.
pub(super) const COVERAGE: &str = "
    coverage, pytest --cov*, py.test --cov*, jest --coverage*, jest --collectCoverage*, vitest --coverage*,
    vitest coverage, nyc, c8, ava --coverage, react-scripts test --coverage*, ng test --code-coverage,
    npm ... --coverage*, npm run cov*, npm run test:cov*, npm run test-cov*, pnpm ... --coverage*,
    pnpm cov*, pnpm run cov*, pnpm test:cov*, pnpm run test:cov*, yarn ... --coverage*, yarn cov*,
    yarn run cov*, yarn test:cov*, yarn run test:cov*, bun ... --coverage*, deno coverage,
    deno test --coverage*, node --experimental-test-coverage, cargo llvm-cov, cargo tarpaulin, grcov,
    go test -cover*, go tool cover, gotestsum -cover*, ginkgo -cover*, gotestsum --cover*, mvn ... jacoco*,
    mvn ... *overage*, mvnw ... jacoco*, gradle ... jacoco*, gradle ... kover*, gradle ... *overage*,
    gradlew ... jacoco*, gradlew ... kover*, gradlew ... *overage*, sbt ... coverage*, bazel coverage,
    dotnet test --collect*, dotnet test -p:CollectCoverage*, dotnet test /p:CollectCoverage*,
    dotnet-coverage, coverlet, reportgenerator, gcov, gcovr, lcov, kcov, llvm-cov, phpunit --coverage*,
    pest --coverage*, php artisan test --coverage*, mix coveralls*, mix test --cover,
    swift test --enable-code-coverage, flutter test --coverage, slather, forge coverage, tox ... cov*,
    nox ... cov*, make ... *cov*, just ... *cov*, task ... *cov*, rake ... cov*, hatch run cov*,
    composer cov*,
";

/// Deploys.
pub(super) const DEPLOY: &str = "
    kubectl apply, kubectl create, kubectl replace, kubectl rollout restart, kubectl rollout undo,
    kubectl set image, kubectl scale, kubectl patch, oc apply, oc rollout latest, kustomize deploy,
    helm install, helm upgrade, helm rollback, helmfile apply, helmfile sync, argocd app sync,
    flux reconcile, skaffold run, skaffold deploy, tilt up, docker compose up, docker-compose up,
    docker compose restart, docker-compose restart, docker stack deploy, docker service update,
    docker run -d*, docker run --detach, docker restart, podman run -d*, docker start, terraform apply,
    tofu apply, terragrunt apply, pulumi up, serverless deploy, sls deploy, sam deploy, cdk deploy,
    aws lambda update-function-code, aws ecs update-service, aws deploy create-deployment,
    aws cloudformation deploy, aws s3 sync, copilot deploy, eb deploy, gcloud app deploy, gcloud run deploy,
    gcloud functions deploy, az webapp up, az webapp deploy*, az functionapp deploy*, az containerapp up,
    func azure functionapp publish, fly deploy, flyctl deploy, vercel, vercel deploy, netlify deploy,
    wrangler deploy, wrangler publish, firebase deploy, railway up, render deploys create,
    heroku container:release, git push heroku, cf push, surge, gh-pages, deployctl deploy, ansible-playbook,
    cap ... deploy*, kamal deploy, kamal redeploy, nomad job run, nomad run, systemctl start,
    systemctl restart, systemctl reload, service ... restart, service ... start, supervisorctl restart,
    supervisorctl start, pm2 start, pm2 restart, pm2 reload, dokku deploy, npm run deploy*, pnpm deploy*,
    pnpm run deploy*, yarn deploy*, yarn run deploy*, make ... deploy*, just ... deploy*, task ... deploy*,
    deploy, deploy.sh, deploy.py, release.sh, mix release, rake deploy*,
";

/// Shows how what was deployed is doing.
pub(super) const HEALTH: &str = "
    curl, wget, http, https, xh, httpie, grpcurl, grpc_health_probe, nc -z*, pg_isready, redis-cli ping,
    mysqladmin ping, kubectl rollout status, kubectl get, kubectl wait, kubectl describe, kubectl logs,
    kubectl top, oc get, oc rollout status, oc logs, helm status, helm test, argocd app get,
    argocd app wait, flux get, docker ps, docker compose ps, docker-compose ps, docker compose logs,
    docker-compose logs, docker logs, docker inspect, docker service ps, docker stack ps, docker stats,
    podman ps, podman logs, systemctl status, systemctl is-active, service ... status, supervisorctl status,
    pm2 status, pm2 list, pm2 ls, pm2 logs, journalctl, nomad status, nomad job status, nomad alloc status,
    fly status, flyctl status, fly logs, fly checks list, heroku ps, heroku logs, vercel inspect,
    vercel logs, netlify status, railway status, railway logs, cf app, eb status, eb health,
    gcloud run services describe, gcloud app browse, gcloud functions describe, gcloud app describe,
    az webapp show, az webapp log*, aws ecs describe-services, aws ecs wait, aws lambda invoke,
    aws lambda get-function, aws elbv2 describe-target-health, aws cloudformation describe-stacks,
    aws deploy get-deployment, terraform output, terraform show, wrangler tail, npm run health*,
    npm run smoke*, make ... health*, make ... smoke*, just ... health*, just ... smoke*, healthcheck*,
    smoke.sh, smoke_test.sh, smoke-test.sh, k6 run, invoke-webrequest, invoke-restmethod, iwr, irm,
    test-netconnection,
";
