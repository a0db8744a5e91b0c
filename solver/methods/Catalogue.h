#pragma once

#include "methods/Registry.h"

/// Every method and inner solver, each defined in its own file. A new one is a line here and a line in Registry.cpp.
namespace appa::catalogue {

// Reductions
MethodInfo ppa();
MethodInfo appa();
MethodInfo acceleratedAppa();
MethodInfo dualAppa();

// Dual coordinate methods
MethodInfo sdca();
MethodInfo apSdca();
MethodInfo apcg();

// Stochastic gradients
MethodInfo sgd();
MethodInfo svrg();
MethodInfo sag();
MethodInfo saga();

// Full gradients
MethodInfo gd();
MethodInfo agd();

// Least squares
MethodInfo normalEquations();
MethodInfo rowSampling();
MethodInfo osnap();
MethodInfo kaczmarz();
MethodInfo acceleratedKaczmarz();

// Solvers usable inside the reductions
InnerInfo sdcaInner();
InnerInfo svrgInner();
InnerInfo apcgInner();
InnerInfo apSdcaInner();
InnerInfo agdInner();
InnerInfo exactInner();

} // namespace appa::catalogue
